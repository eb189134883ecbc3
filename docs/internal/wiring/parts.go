package main

// A part is what is connected to a board. Its terminals are at the ends of its legs.
type part struct {
	name  string
	kind  func(c *canvas, at point, p *part) map[string]point
	at    point
	text  string
	pins  [2][]string // of a module: left and right
	size  point
	bands []string // colours of a resistor
}

func (p *part) draw(c *canvas) map[string]point { return p.kind(c, p.at, p) }

// resistor lies between 1 and 2.
func resistor(c *canvas, at point, p *part) map[string]point {
	c.add(`<path class="line" d="M%g %gh90"/>`, at.x, at.y)
	c.add(`<rect class="body" x="%g" y="%g" width="50" height="16" rx="6"/>`, at.x+20, at.y-8)
	for i, color := range p.bands {
		c.add(`<rect x="%g" y="%g" width="4" height="16" fill="%s"/>`, at.x+30+10*float64(i), at.y-8, color)
	}
	c.text("small", point{at.x + 45, at.y - 14}, "middle", p.text)
	return map[string]point{"1": at, "2": {at.x + 90, at.y}}
}

// led lies between + on the left and - on the right.
func led(c *canvas, at point, p *part) map[string]point {
	c.add(`<path class="line" d="M%g %gh90"/>`, at.x, at.y)
	c.add(`<path class="lens" d="M%g %gv-16h16a16 16 0 0 1 0 32h-16z"/>`, at.x+30, at.y)
	c.text("small", point{at.x + 14, at.y - 8}, "middle", "+")
	c.text("small", point{at.x + 76, at.y - 8}, "middle", "\u2212")
	c.text("small", point{at.x + 45, at.y - 24}, "middle", p.text)
	c.text("small", point{at.x + 45, at.y + 30}, "middle", "+ is the long leg")
	return map[string]point{"+": at, "-": {at.x + 90, at.y}}
}

// capacitor stands with both legs at the left, + on top.
func capacitor(c *canvas, at point, p *part) map[string]point {
	c.add(`<path class="line" d="M%g %gh34M%g %gh34"/>`, at.x, at.y, at.x, at.y+60)
	c.add(`<rect class="can" x="%g" y="%g" width="52" height="84" rx="8"/>`, at.x+34, at.y-12)
	c.add(`<rect x="%g" y="%g" width="48" height="22" fill="#c9ced4"/>`, at.x+36, at.y+46)
	c.text("pin", point{at.x + 44, at.y + 4}, "start", "+")
	c.add(`<path d="M%g %gh10" stroke="#1b1f24" stroke-width="2"/>`, at.x+42, at.y+57)
	c.text("small", point{at.x + 60, at.y + 88}, "middle", p.text)
	return map[string]point{"+": at, "-": {at.x, at.y + 60}}
}

// potentiometer has its three legs at the left.
func potentiometer(c *canvas, at point, p *part) map[string]point {
	terminals := map[string]point{}
	for i, name := range []string{"1", "wiper", "3"} {
		y := at.y + 40*float64(i)
		c.add(`<path class="line" d="M%g %gh30"/>`, at.x, y)
		terminals[name] = point{at.x, y}
	}
	c.add(`<rect class="module" x="%g" y="%g" width="80" height="104" rx="8"/>`, at.x+30, at.y-12)
	c.add(`<circle class="metal" cx="%g" cy="%g" r="27"/>`, at.x+70, at.y+40)
	c.add(`<path d="M%g %gl14 -14" stroke="#1b1f24" stroke-width="4" stroke-linecap="round"/>`, at.x+70, at.y+40)
	c.text("small", point{at.x + 70, at.y + 108}, "middle", p.text)
	return terminals
}

// module is a board with pins at both sides.
func module(c *canvas, at point, p *part) map[string]point {
	const gap = 30.0
	terminals := map[string]point{}
	rows := max(len(p.pins[0]), len(p.pins[1]))
	height := gap*float64(rows-1) + 64
	c.add(`<rect class="module" x="%g" y="%g" width="%g" height="%g" rx="6"/>`, at.x, at.y-44, p.size.x, height)
	c.text("pin", point{at.x + p.size.x/2, at.y - 26}, "middle", p.text)
	for side, names := range p.pins {
		for i, name := range names {
			if name == "" {
				continue
			}
			pin := point{at.x + float64(side)*p.size.x, at.y + gap*float64(i)}
			inner, anchor := 11.0, "start"
			if side == 1 {
				inner, anchor = -11, "end"
			}
			c.add(`<circle class="pad" cx="%g" cy="%g" r="5"/>`, pin.x, pin.y)
			c.text("pin", point{pin.x + inner, pin.y + 4}, anchor, name)
			terminals[name] = pin
		}
	}
	return terminals
}

// motor is one with an encoder at its end; all wires come out at the left.
func motor(c *canvas, at point, p *part) map[string]point {
	terminals := map[string]point{}
	const gap = 30.0
	names := p.pins[0]
	height := gap*float64(len(names)-1) + 30
	for i, name := range names {
		y := at.y + gap*float64(i)
		terminals[name] = point{at.x, y}
		c.add(`<path class="line" d="M%g %gh46"/>`, at.x, y)
	}
	c.add(`<rect class="can" x="%g" y="%g" width="22" height="%g" rx="4"/>`, at.x+46, at.y-15, height)
	c.add(`<rect class="metal" x="%g" y="%g" width="76" height="%g" rx="8"/>`, at.x+68, at.y-9, height-12)
	c.add(`<rect class="metal" x="%g" y="%g" width="34" height="%g"/>`, at.x+144, at.y+6, height-42)
	c.add(`<rect class="metal" x="%g" y="%g" width="26" height="10"/>`, at.x+178, at.y+height/2-20)
	for i, name := range names {
		c.text("small", point{at.x + 5, at.y + gap*float64(i) - 5}, "start", name)
	}
	c.add(`<text class="small onmetal" x="%g" y="%g" text-anchor="middle">%s</text>`, at.x+106, at.y+height/2-12, "M")
	c.text("small", point{at.x + 112, at.y + height + 2}, "middle", p.text)
	return terminals
}

// supply has + above -, at the left.
func supply(c *canvas, at point, p *part) map[string]point {
	c.add(`<rect class="can" x="%g" y="%g" width="96" height="70" rx="6"/>`, at.x, at.y-20)
	c.text("pin", point{at.x + 48, at.y + 12}, "middle", p.text)
	terminals := map[string]point{}
	for i, sign := range []string{"+", "-"} {
		y := at.y + 30*float64(i)
		shown := sign
		if sign == "-" {
			shown = "\u2212"
		}
		c.add(`<circle class="pad" cx="%g" cy="%g" r="5"/>`, at.x, y)
		c.add(`<text class="pin" x="%g" y="%g">%s</text>`, at.x+10, y+4, shown)
		terminals[sign] = point{at.x, y}
	}
	return terminals
}
