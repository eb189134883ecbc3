"""Prints the tables of integer/the logarithms: nodes, their logarithms and ln(1+r)/r: coefficients by Chebyshev
interpolation (mpmath), and the largest error of each fit."""

from mpmath import *
mp.prec=400
o=[]
# nodes i=0..32 : c_i ~ 1/(1+i/32); G=(int32)(m*c8), m 24 bits, c8=c*2^14, G = r*2^37
cs=[];ts=[];gmax=0
for i in range(33):
    c8=int(nint(mpf(2)**14/(1+mpf(i)/32)))
    cs.append(c8)
    lo=max(1+mpf(i)/32-mpf(1)/64,1); hi=min(1+mpf(i)/32+mpf(1)/64,2)
    gmax=max(gmax,abs(lo*c8/2**14-1),abs(hi*c8/2**14-1))
    v=-log(mpf(c8)/2**14)
    if i>=13: v-=log(2)
    ts.append(int(nint(v*mpf(2)**64)) & (2**64-1))
print("rmax*64",gmax*64, "max T", nstr(log(mpf(2)**14/cs[12]),5), nstr(log(mpf(2)**13/cs[13]),5))
assert gmax*64<=1
# log1p(r)/r in g=32r, |g|<1/2
def q(g):
    r=g/32; return nsum(lambda k:(-r)**k/(k+1),[0,60]) if False else sum((-r)**k/mpf(k+1) for k in range(80))
b=gmax*32
n=9
c,e=chebyfit(q,[-b,b],n,error=True); c=c[::-1]
print("log err 2^",nstr(log(abs(e),2),8),[nstr(log(abs(x),2),5) for x in c])
sc=lambda x,k:int(nint(x*mpf(2)**k))
C=[sc(x,62) for x in c[:4]]
o.append("static const int64_t cfi_lc[4] = { "+", ".join("%dll"%v for v in C)+" };")
# tail: a4 (Q55?) 
q4=[sc(c[4],53),sc(c[5],58),sc(c[6],58),sc(c[7],58),sc(c[8],58)]
assert max(abs(x) for x in q4)<2**31
print(q4)
o+= ["#define CFI_L%d (%d)"%(k+4,v) for k,v in enumerate(q4)]
o.append("static const uint16_t cfi_lr[33] = { "+", ".join("%d"%v for v in cs)+" };")
o.append("static const uint64_t cfi_lt[33] = { "+", ".join("0x%016xull"%v for v in ts)+" };")
for nm,v in (("LN2",log(2)),("LG2",1/log(2)),("LG10",1/log(10)),("LT2",log(2)/log(10))):
    o.append("#define CFI_%s 0x%016xull /* Q%d */"%(nm,int(nint(v*mpf(2)**(63 if v>1 else 64))),63 if v>1 else 64))
print("\n".join(o)+"\n")
