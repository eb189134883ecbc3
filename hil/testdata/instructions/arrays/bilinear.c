#include "../program.h"
struct block { uint32_t flags; float t[8][8],u[16],v[16],y[16];};
void program(struct block *d) {
for(int n=0;n<16;n++){ float u=d->u[n],v=d->v[n]; int i=(int)u,j=(int)v; float fu=u-(float)i,fv=v-(float)j; float p=d->t[i][j]+(d->t[i][j+1]-d->t[i][j])*fv,q=d->t[i+1][j]+(d->t[i+1][j+1]-d->t[i+1][j])*fv; d->y[n]=p+(q-p)*fu; }
}
