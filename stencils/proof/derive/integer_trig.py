"""Prints the tables of integer/sine, cosine and tangent: polynomials in 1 - 4F^2 and the words of 2/pi: coefficients by Chebyshev
interpolation (mpmath), and the largest error of each fit."""

from mpmath import *
mp.prec=400
# g in [0,1], z=(1-g)/4
def S(g):
    z=(1-g)/4
    # sin(pi/2 sqrt z)/sqrt z by series
    s=mpf(0); t=pi/2; k=0
    while k<40:
        s+=t; k+=1; t=-t*z*(pi/2)**2/((2*k)*(2*k+1))
    return s
def C(g):
    z=(1-g)/4; return cos(pi/2*sqrt(z))
def fit(f,n):
    c,e=chebyfit(f,[0,1],n,error=True); return c[::-1],e
out=[]
QA=[59,57]
tabs64=[];tabs32=[]
for nm,f,q in (("sin",S,58),("cos",C,58)):
    c,e=fit(f,8)
    print(nm,"err 2^",nstr(log(abs(e),2),8)); print([nstr(log(abs(x),2),5) for x in c],[nstr(x,4) for x in c])
    c64=[int(nint(x*mpf(2)**63)) for x in c[:5]]
    # tail Q58: a6,a7 ; c5 64? keep 32 bits
    a=[int(nint(x*mpf(2)**57)) for x in c[5:8]]
    # centre truncation: c5 gets +1/2 unit, c4 gets half of (1<<5)
    a[0]+=0; c64[4]+=1<<5
    for i in range(4): c64[i]+=1
    print(a,[hex(x) for x in c64]); assert max(a)<2**32 and min(a)>=0
    tabs64.append(c64);tabs32.append(a)
out.append("static const uint64_t cfi_tc[2][5] = {"+",\n  ".join("{ "+", ".join("0x%016xull"%v for v in r)+" }" for r in tabs64)+" };")
out.append("static const uint32_t cfi_ta[2][3] = {"+", ".join("{ "+", ".join("%uu"%v for v in r)+" }" for r in tabs32)+" };")
tp=floor((2/pi)*mpf(2)**(32*8)); tp=int(tp)
w=[0,0]+[(tp>>(32*(7-i)))&0xffffffff for i in range(8)]
out.append("/* 2/pi after two zero words */\nstatic const uint32_t cfi_tpi[10] = { "+", ".join("0x%08xu"%v for v in w)+" };")
print("\n".join(out)+"\n")
