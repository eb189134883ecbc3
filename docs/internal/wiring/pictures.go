package main

// Colours of resistors' bands.
const brown, black, orange = "#7a4a1e", "#1b1f24", "#d4730b"

// pictures are all of them. The pins that variables are bound to are those of the commands in docs/pin-examples.md.
var pictures = []*picture{
	{
		file: "blink-pico", title: "blink.py on a Raspberry Pi Pico", form: "pico", at: point{60, 60}, width: 640, height: 510,
		parts: []part{
			{name: "R", kind: resistor, at: point{310, 340}, text: "330 \u2126", bands: []string{orange, orange, brown}},
			{name: "LED", kind: led, at: point{440, 340}, text: "LED"},
		},
		wires: []wire{
			{from: "GP16", to: "R.1", via: []float64{290}, color: "green", variable: "led", kind: "out"},
			{from: "R.2", to: "LED.+", color: "green"},
			{from: "LED.-", to: "GND#3", via: []float64{560, 425, 400}, color: "black"},
		},
	},
	{
		file: "blink-microbit", title: "blink.py on a micro:bit", form: "microbit", at: point{60, 70}, width: 640, height: 230,
		parts: []part{
			{name: "R", kind: resistor, at: point{310, 95}, text: "330 \u2126", bands: []string{orange, orange, brown}},
			{name: "LED", kind: led, at: point{440, 95}, text: "LED"},
		},
		wires: []wire{
			{from: "P0", to: "R.1", color: "green", variable: "led", kind: "out"},
			{from: "R.2", to: "LED.+", color: "green"},
			{from: "LED.-", to: "GND", via: []float64{570}, color: "black"},
		},
	},
	{
		file: "pid-pico", title: "analogue_pid.py on a Raspberry Pi Pico", form: "pico", at: point{60, 60}, width: 680, height: 510,
		parts: []part{
			{name: "POT", kind: potentiometer, at: point{480, 105}, text: "potentiometer, 10 k\u2126"},
			{name: "R", kind: resistor, at: point{350, 305}, text: "10 k\u2126", bands: []string{brown, black, orange}},
			{name: "C", kind: capacitor, at: point{500, 305}, text: "100 \u00b5F"},
		},
		wires: []wire{
			{from: "3V3", to: "POT.1", via: []float64{390}, color: "red"},
			{from: "GP28", to: "POT.wiper", via: []float64{410}, color: "blue", variable: "wanted", kind: "adc"},
			{from: "AGND", to: "POT.3", via: []float64{430}, color: "black"},
			{from: "GP26", to: "C.+", via: []float64{470}, color: "violet", variable: "level", kind: "adc"},
			{from: "GP22", to: "R.1", color: "green", variable: "duty", kind: "pwm"},
			{from: "R.2", to: "C.+", color: "violet"},
			{from: "GND#2", to: "C.-", via: []float64{320}, color: "black"},
		},
	},
	{
		file: "encoder-netduino", title: "encoder_speed.py on a Netduino Plus 2", form: "netduinoplus2", at: point{90, 80}, width: 880, height: 540,
		parts: []part{
			{name: "DRIVER", kind: module, at: point{440, 170}, text: "motor driver", size: point{150, 0},
				pins: [2][]string{{"VCC", "EN", "PH", "GND"}, {"VM", "OUT1", "OUT2", "GND "}}},
			{name: "SUPPLY", kind: supply, at: point{740, 130}, text: "6 V, 2 A"},
			{name: "MOTOR", kind: motor, at: point{660, 310}, pins: [2][]string{{"M1", "M2", "GND", "VCC", "A", "B"}},
				text: "motor, gear, encoder"},
		},
		wires: []wire{
			{from: "D5", to: "DRIVER.EN", via: []float64{365}, color: "green", variable: "drive", kind: "pwm"},
			{from: "D4", to: "DRIVER.PH", via: []float64{385}, color: "blue", variable: "forward", kind: "out"},
			{from: "GND", to: "DRIVER.GND", via: []float64{405}, color: "black"},
			{from: "left 3V3", to: "DRIVER.VCC", via: []float64{50, 52, 420}, color: "red"},
			{from: "D8", to: "MOTOR.A", via: []float64{345}, color: "violet", variable: "position", kind: "encoder"},
			{from: "D7", to: "MOTOR.B", via: []float64{325}, color: "orange", variable: "position", line: "B", kind: "encoder"},
			{from: "DRIVER.OUT1", to: "MOTOR.M1", via: []float64{640}, color: "blue"},
			{from: "DRIVER.OUT2", to: "MOTOR.M2", via: []float64{625}, color: "green"},
			{from: "SUPPLY.+", to: "DRIVER.VM", via: []float64{700}, color: "red"},
			{from: "SUPPLY.-", to: "DRIVER.GND ", via: []float64{715}, color: "black"},
			{from: "DRIVER.GND ", to: "MOTOR.GND", via: []float64{608}, color: "black"},
			{from: "left 3V3", to: "MOTOR.VCC", via: []float64{50, 495, 640}, color: "red"},
		},
		joints: []point{{608, 260}},
	},
	{
		file: "imu-pico", title: "imu_filter.py on a Raspberry Pi Pico", form: "pico", at: point{400, 70}, width: 640, height: 520,
		parts: []part{
			{name: "IMU", kind: module, at: point{60, 160}, text: "MPU-6050", size: point{130, 0},
				pins: [2][]string{{}, {"VCC", "GND", "SCL", "SDA", "XDA", "XCL", "AD0", "INT"}}},
		},
		wires: []wire{
			{from: "left GP4", to: "IMU.SDA", via: []float64{270}, color: "blue", bus: "I2C0", line: "sda"},
			{from: "left GP5", to: "IMU.SCL", via: []float64{250}, color: "violet", bus: "I2C0", line: "scl"},
			{from: "left GND#2", to: "IMU.GND", via: []float64{230}, color: "black"},
			{from: "3V3", to: "IMU.VCC", via: []float64{600, 50, 215}, color: "red"},
		},
	},
}
