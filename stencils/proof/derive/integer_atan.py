"""Prints the tables of integer/atan, asin, acos: starts of the reciprocal and the root, atan(i/16) and its polynomial: coefficients by Chebyshev
interpolation (mpmath), and the largest error of each fit."""

from mpmath import *
mp.prec=400
o=[]
# 1/d, d in [0.5,1) by top 5 bits after the leading one: 32 entries, Q7 (128..255)
rt=[int(nint(mpf(128)*2/( (1+(mpf(j)+mpf(1)/2)/32))))-0 for j in range(32)]
rt=[min(v,255) for v in rt]
e=max(max(abs(1-mpf(v)/256*(1+mpf(j)/32)),abs(1-mpf(v)/256*(1+mpf(j+1)/32))) for j,v in enumerate(rt))
print("recip start 2^",nstr(log(e,2),5),rt)
o.append("static const uint8_t cfi_rt[32] = { "+", ".join(map(str,rt))+" };")
# rsqrt start: w in [.25,1), index top 5 bits 8..31 -> 24 entries, 1/sqrt(w)/2 in Q8 (128..255)
rs=[]
for j in range(8,32):
    a,b=mpf(j)/32,mpf(j+1)/32
    v=2/(sqrt(a)+sqrt(b))
    rs.append(min(255,int(nint(v*128))))
e=max(max(abs(1-mpf(v)/128*sqrt(mpf(j+8)/32)),abs(1-mpf(v)/128*sqrt(mpf(j+9)/32))) for j,v in enumerate(rs))
print("rsqrt start 2^",nstr(log(e,2),5),rs)
o.append("static const uint8_t cfi_rs[24] = { "+", ".join(map(str,rs))+" };")
# atan(i/16) Q64
o.append("static const uint64_t cfi_at[16] = { "+", ".join("0x%016xull"%int(nint(atan(mpf(i)/16)*mpf(2)**64)) for i in range(16))+" };")
# atan(sqrt u)/sqrt u, u=v/2^8... t max
tmax=mpf(1)/16*mpf('0.75')
# measured over index rule below (dense scan of ratio and divisor bucket)
best=0
for j in range(32):
    for d in (mpf(1)+mpf(j)/32, mpf(1)+mpf(j+1)/32-mpf(2)**-20):
        for k in range(0,4001):
            r=mpf(k)/4000
            n=r*d/2  # N in units of 2^63 with d/2
            nb=int(floor(n*2**9))      # N>>54, <=9 bits
            i=(nb*rt[j]+(1<<11))>>12
            i=min(i,15)
            t=abs((16*r-i)/(16+i*r)); best=max(best,t)
print("tmax",nstr(best,8), "u 2^",nstr(log(best**2,2),5))
um=best**2*mpf('1.001')
S=2**9
f=lambda v: sum((-1)**k*(v/S)**k/mpf(2*k+1) for k in range(60))
c,e=chebyfit(f,[0,um*S],5,error=True); c=c[::-1]
print("atan err 2^",nstr(log(abs(e),2),8),[nstr(log(abs(x),2),5) for x in c])
sc=lambda x,k:int(nint(abs(x)*mpf(2)**k))
o.append("static const uint64_t cfi_ac[3] = { "+", ".join("0x%016xull"%sc(x,63) for x in c[:3])+" };")
A3,A4=sc(c[3],61),sc(c[4],61)
print(A3,A4); assert A3<2**32
o.append("#define CFI_A3 %uu /* Q61 */\n#define CFI_A4 %uu"%(A3,A4))
o.append("#define CFI_PIO2 0x%016xull /* Q63 */\n#define CFI_PI 0x%016xull /* Q62 */"%(int(nint(pi/2*mpf(2)**63)),int(nint(pi*mpf(2)**62))))
print("\n".join(x for x in o if "cfi_rt" not in x and "cfi_rs" not in x)+"\n")
print("\n".join(x for x in o if "cfi_rt" in x or "cfi_rs" in x)+"\n")
