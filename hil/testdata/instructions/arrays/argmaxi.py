"""The place of the largest of 100 ints."""
import copapy as cp

x = cp.input("x", [k * 7919 % 4001 - 2000 for k in range(100)])

tg = cp.Target()
tg.compile(cp.argmax(x))
