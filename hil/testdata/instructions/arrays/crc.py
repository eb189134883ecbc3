"""The CRC-32 of 16 words, bit by bit."""
import copapy as cp

data = cp.input("data", [k * 0x1234567 - 99 for k in range(16)])
POLYNOMIAL = 0xEDB88320 - 2**32


def bit(i, crc):
    return ((crc >> 1) & 0x7FFFFFFF) ^ (POLYNOMIAL & -(crc & 1))



tg = cp.Target()
tg.compile(~cp.scan(16, lambda i, crc, word: (cp.fori(32, bit, crc ^ word), 0), -1, data)[0])

