struct cf_board_x { uint32_t crystal_hz; uint8_t *ring; uint32_t ring_size; struct cf_platform platform; };
extern const struct cf_board_x cf_board_x __asm__("cf_board");
extern const struct cf_board cf_board;
#define CFP (&((const struct cf_board_x*)&cf_board)->platform)
