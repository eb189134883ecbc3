"""Prints the tables of integer/the exponentials: 2^(j/32) and the polynomial between: coefficients by Chebyshev
interpolation (mpmath), and the largest error of each fit."""

from mpmath import *
mp.prec=400
L=log(2)/32
f=lambda g:(exp(L*g)-1)/g if g>mpf(10)**-50 else L
# p(g)=g*q(g): fit q deg 5 on [0,1]
def q(g):
    s=mpf(0); t=L; k=1
    while k<40:
        s+=t; k+=1; t=t*L*g/k
    return s
c,e=chebyfit(q,[0,1],6,error=True); c=c[::-1]
print("exp err 2^",nstr(log(abs(e),2),8),[nstr(log(abs(x),2),5) for x in c])
o=[]
c64=[int(nint(x*mpf(2)**64)) for x in c[:3]]
o.append("static const uint64_t cfi_ec[3] = { "+", ".join("0x%016xull"%v for v in c64)+" };")
A=[int(nint(c[3]*mpf(2)**58)),int(nint(c[4]*mpf(2)**66)),int(nint(c[5]*mpf(2)**66))]
print(A); assert max(A)<2**32
o.append("#define CFI_E4 %uu\n#define CFI_E5 %uu\n#define CFI_E6 %uu"%tuple(A))
T=[int(nint(mpf(2)**(mpf(j)/32)*mpf(2)**63)) for j in range(32)]
o.append("static const uint64_t cfi_et[32] = { "+", ".join("0x%016xull"%v for v in T)+" };")
def words(v):
    C=int(nint(v*mpf(2)**96)); return C>>64,(C>>32)&0xffffffff,C&0xffffffff
for nm,v in (("E",1/log(2)*32*mpf(2)**-24),):
    o.append("/* log2(e)*2^-19 in Q96 */\n#define CFI_X%s2 0x%xu\n#define CFI_X%s1 0x%08xu\n#define CFI_X%s0 0x%08xu"%((nm,words(v)[0],nm,words(v)[1],nm,words(v)[2])))
o.append("#define CFI_L32 0x%08xu /* ln2/32 in Q32 */"%int(nint(L*mpf(2)**32)))
print("\n".join(o)+"\n")
