#include "../program.h"
struct block { uint32_t flags; int x[100]; int r;};
void program(struct block *d) {
int m=d->x[0],p=0; for(int i=1;i<100;i++) if(d->x[i]>m){ m=d->x[i]; p=i; } d->r=p;
}
