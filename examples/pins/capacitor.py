"""The plant of analogue_pid.py, without a board: a capacitor of 100 uF behind a resistor of 10 kohm.

    copaflash start examples/pins/analogue_pid.py --target local --for 10s --bind level=sim:plant=examples/pins/capacitor.py
"""
import copapy as cp

T = 1 / 200  # s, from tick to tick of the controller
RC = 1.0  # s

duty = cp.input("duty")
level = cp.state(0.0, name="volts")
level.next = level + (3.3 * duty - level) * (T / RC)
cp.output("level", level, unit="V")

tg = cp.Target()
tg.compile()
