"""Prints the tables of integer/expm1, sinh, log1p near 0, log2 and log10, and the start of the cube root: coefficients by Chebyshev
interpolation (mpmath), and the largest error of each fit."""

from mpmath import *
mp.prec=400
o=[]
def ser(f):return f
sc=lambda x,k:int(nint(x*mpf(2)**k))
# expm1(x)/x, v=16x+1/2 in [0,1)
def qe(v):
    x=(v-mpf(1)/2)/16; s=mpf(0); t=mpf(1); k=1
    while k<60: s+=t; k+=1; t=t*x/k
    return s
c,e=chebyfit(qe,[0,1],8,error=True); c=c[::-1]
print("expm1 err 2^",nstr(log(abs(e),2),8),[nstr(log(abs(x),2),5) for x in c], min(c)>0)
o.append("static const uint64_t cfi_mc[5] = { "+", ".join("0x%016xull"%sc(x,62) for x in c[:5])+" };")
A=[sc(x,58) for x in c[5:]]; A=[sc(c[5],58),sc(c[6],58),sc(c[7],58)]
print(A); assert max(A)<2**32
o+=["#define CFI_M%d %uu"%(k+5,v) for k,v in enumerate(A)]
# sinh(x)/x, u=16x^2 in [0,1), |x|<1/4
def qs(u):
    z=u/16; s=mpf(0); t=mpf(1); k=0
    while k<40: s+=t; k+=1; t=t*z/((2*k)*(2*k+1))
    return s
c,e=chebyfit(qs,[0,1],6,error=True); c=c[::-1]
print("sinh err 2^",nstr(log(abs(e),2),8),[nstr(log(abs(x),2),5) for x in c], min(c)>0)
o.append("static const uint64_t cfi_sc[3] = { "+", ".join("0x%016xull"%sc(x,62) for x in c[:3])+" };")
A=[sc(c[3],56),sc(c[4],63),sc(c[5],63)]; print(A); assert max(A)<2**32
o+=["#define CFI_S%d %uu"%(k+3,v) for k,v in enumerate(A)]
print("\n".join(o)+"\n"); o=[]
# log1p(x)/x, v = 1/2-32x in (0,1)
def ql(v):
    x=(mpf(1)/2-v)/32
    return sum((-x)**k/mpf(k+1) for k in range(80))
c,e=chebyfit(ql,[0,1],9,error=True); c=c[::-1]
print("log1p err 2^",nstr(log(abs(e),2),8),[nstr(log(abs(x),2),5) for x in c], min(c)>0)
o.append("static const uint64_t cfi_pc[5] = { "+", ".join("0x%016xull"%sc(x,62) for x in c[:5])+" };")
A=[sc(c[5],58),sc(c[6],58),sc(c[7],58),sc(c[8],58)]; print(A); assert max(A)<2**32
o+=["#define CFI_P%d %uu"%(k+5,v) for k,v in enumerate(A)]
print("\n".join(o)+"\n"); o=[]
# cbrt start: z in [1/8,1), index 4..31, 1/cbrt(z) Q7
ct=[]; em=0
for j in range(4,32):
    a,b=cbrt(mpf(j)/32),cbrt(mpf(j+1)/32)
    v=min(255,int(nint(2/(a+b)*128))); ct.append(v); em=max(em,abs(1-v*a/128),abs(1-v*b/128))
print("cbrt start 2^",nstr(log(em,2),5))
o.append("static const uint8_t cfi_ct[28] = { "+", ".join(map(str,ct))+" };")
print("\n".join(o)+"\n")
