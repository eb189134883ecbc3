"""An LED that blinks: the smallest program with a pin.

docs/pin-examples.md has the wiring: an LED and its resistor at pin GP16 of a Raspberry Pi Pico.

    copaflash start examples/pins/blink.py --port /dev/ttyUSB0 --bind led=GP16     # begin
    copaflash watch led phase                                                      # look
    copaflash set frequency=4 duty=0.1                                             # tune
    copaflash stop                                                                 # end: the LED is dark
"""
import copapy as cp

RATE = 100  # ticks per second

# Parameters are what people tune while the program runs. The limits keep mistakes away.
frequency = cp.param("frequency", 1.0, unit="Hz", low=0.1, high=10)
duty = cp.param("duty", 0.5, low=0, high=1)     # part of each period in which the LED is lit

with cp.task(rate=RATE, name="blink"):
    # A state keeps its value from tick to tick: here where in its period the blinking is, from 0 up to 1.
    phase = cp.state(0.0, name="phase")
    further = phase + frequency / RATE
    phase.next = cp.iif(further >= 1, further - 1, further)

    # An output is bound to a pin when the program starts. `safe` is what it is when the loop ends.
    cp.output("led", phase < duty, safe=0)

tg = cp.Target()
tg.compile()
