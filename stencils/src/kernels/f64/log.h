//@ kernel log log2 log10 log1p f64 D=D
#ifndef CF_MATH64_LOG_H
#define CF_MATH64_LOG_H

#include "pair.h"

/* ln 2 (the high part is a multiple of 2^-42, as are those of the table), 1 / ln 2, 1 / ln 10. */
#define CF64_LN2_HIGH_H 0x1.62e42fefa38p-1
#define CF64_LN2_HIGH_L 0x1.ef35793c7673p-45
#define CF64_LOG2E_H 0x1.71547652b82fep+0
#define CF64_LOG2E_L 0x1.777d0ffda0d24p-56
#define CF64_LOG10E_H 0x1.bcb7b1526e50ep-2
#define CF64_LOG10E_L 0x1.95355baaafad3p-57

/* c and -ln c, in two parts, for c near 1/m in 128 intervals of m, from 0.703125 to
 * 1.40625. That around 1 has c = 1. */
static const double cf64_log_table[128][3] = {
    {0x1.6a13cd153729p+0, -0x1.630030b3abp-2, 0x1.dbc23e731aep-45}, {0x1.6816816816817p+0, -0x1.5d5bddf596p-2, 0x1.9de2a08a465dcp-47},
    {0x1.661ec6a5122f9p+0, -0x1.57bf753c8dp-2, -0x1.fadadee5d40efp-46}, {0x1.642c8590b2164p+0, -0x1.522ae0738ap-2, -0x1.eba708164c759p-45},
    {0x1.623fa7701624p+0, -0x1.4c9e09e173p-2, 0x1.e18891b0ad8a4p-45}, {0x1.6058160581606p+0, -0x1.4718dc271cp-2, -0x1.071d8fb4c14c5p-44},
    {0x1.5e75bb8d015e7p+0, -0x1.419b423d5fp-2, 0x1.ce7a9226de3ecp-44}, {0x1.5c9882b931057p+0, -0x1.3c25277333p-2, -0x1.83454b606bd5cp-46},
    {0x1.5ac056b015acp+0, -0x1.36b6776be1p-2, -0x1.15ecdb0f177c8p-46}, {0x1.58ed2308158edp+0, -0x1.314f1e1d36p-2, 0x1.8e5bad3213cb8p-45},
    {0x1.571ed3c506b3ap+0, -0x1.2bef07cdc9p-2, -0x1.aa5ba4a5004f4p-45}, {0x1.5555555555555p+0, -0x1.269621134ep-2, 0x1.1ba1f10522625p-44},
    {0x1.5390948f40febp+0, -0x1.214456d0ecp-2, 0x1.cac5428b728a3p-44}, {0x1.51d07eae2f815p+0, -0x1.1bf99635a7p-2, 0x1.1ade9575c2125p-44},
    {0x1.5015015015015p+0, -0x1.16b5ccbadp-2, 0x1.232a9042d74bfp-44}, {0x1.4e5e0a72f0539p+0, -0x1.1178e8227ep-2, -0x1.1e9b8ce2d07f2p-44},
    {0x1.4cab88725af6ep+0, -0x1.0c42d67616p-2, -0x1.70d4b163ceae9p-45}, {0x1.4afd6a052bf5bp+0, -0x1.07138604d6p-2, 0x1.e70124e912b17p-44},
    {0x1.49539e3b2d067p+0, -0x1.01eae5626cp-2, -0x1.a44ecfade85aep-44}, {0x1.47ae147ae147bp+0, -0x1.f991c6cb3cp-3, 0x1.90b84cd7cc834p-44},
    {0x1.460cbc7f5cf9ap+0, -0x1.ef5ade4ddp-3, 0x1.ad11565bb8e11p-51}, {0x1.446f86562d9fbp+0, -0x1.e530effe72p-3, 0x1.fdafbb13f7c18p-44},
    {0x1.42d6625d51f87p+0, -0x1.db13db0d48p-3, -0x1.2813a847527e6p-44}, {0x1.4141414141414p+0, -0x1.d1037f2656p-3, 0x1.8527e75b6f6e4p-47},
    {0x1.3fb013fb013fbp+0, -0x1.c6ffbc6fp-3, -0x1.ee128d3a69d43p-44}, {0x1.3e22cbce4a902p+0, -0x1.bd087383bep-3, 0x1.d5844595412b6p-45},
    {0x1.3c995a47babe7p+0, -0x1.b31d8575bcp-3, -0x1.c75de562a63cbp-44}, {0x1.3b13b13b13b14p+0, -0x1.a93ed3c8aep-3, 0x1.86a4350562169p-45},
    {0x1.3991c2c187f63p+0, -0x1.9f6c40708ap-3, 0x1.33aa94bcd3f43p-44}, {0x1.3813813813814p+0, -0x1.95a5adcf7p-3, -0x1.8262858a0ff6fp-47},
    {0x1.3698df3de0748p+0, -0x1.8beafeb39p-3, 0x1.71154aae92cd1p-47}, {0x1.3521cfb2b78c1p+0, -0x1.823c16551ap-3, -0x1.e02db9a631e83p-46},
    {0x1.33ae45b57bcb2p+0, -0x1.7898d85444p-3, -0x1.8e81be3dbaf3fp-44}, {0x1.323e34a2b10bfp+0, -0x1.6f0128b756p-3, -0x1.571d90d31ef0fp-44},
    {0x1.30d190130d19p+0, -0x1.6574ebe8c2p-3, 0x1.98d1d34f0f462p-44}, {0x1.2f684bda12f68p+0, -0x1.5bf406b544p-3, 0x1.28023eb68981cp-46},
    {0x1.2e025c04b8097p+0, -0x1.527e5e4a1cp-3, 0x1.4e61b8d4b411dp-44}, {0x1.2c9fb4d812cap+0, -0x1.4913d8333cp-3, 0x1.53a43558124c4p-44},
    {0x1.2b404ad012b4p+0, -0x1.3fb45a5992p-3, -0x1.19313c0cae559p-44}, {0x1.29e4129e4129ep+0, -0x1.365fcb015ap-3, 0x1.fd720afb9691bp-44},
    {0x1.288b01288b013p+0, -0x1.2d1610c868p-3, -0x1.3d0eccb81b4a1p-47}, {0x1.27350b8812735p+0, -0x1.23d712a49cp-3, -0x1.00aa38fd3df5cp-46},
    {0x1.25e22708092f1p+0, -0x1.1aa2b7e24p-3, 0x1.1ad48dde3b366p-44}, {0x1.2492492492492p+0, -0x1.1178e8227ep-3, -0x1.1e778ce2d07f2p-45},
    {0x1.23456789abcdfp+0, -0x1.08598b59e4p-3, 0x1.7e5fd7009902cp-45}, {0x1.21fb78121fb78p+0, -0x1.fe89139dbcp-4, -0x1.56494d82f7a82p-44},
    {0x1.20b470c67c0d9p+0, -0x1.ec739830ap-4, -0x1.1267ba80cdd1p-44}, {0x1.1f7047dc11f7p+0, -0x1.da72763844p-4, -0x1.a79401fa71733p-46},
    {0x1.1e2ef3b3fb874p+0, -0x1.c885801bc4p-4, -0x1.63f51c65aacd3p-45}, {0x1.1cf06ada2811dp+0, -0x1.b6ac88dad4p-4, -0x1.b1cbff50225c7p-44},
    {0x1.1bb4a4046ed29p+0, -0x1.a4e7640b1cp-4, 0x1.e4336b94407c8p-47}, {0x1.1a7b9611a7b96p+0, -0x1.9335e5d594p-4, -0x1.30f5c3abd47dap-45},
    {0x1.19453808ca29cp+0, -0x1.8197e2f41p-4, 0x1.c102460d20041p-44}, {0x1.1811811811812p+0, -0x1.700d30aeacp-4, -0x1.d068da99ded32p-49},
    {0x1.16e0689427379p+0, -0x1.5e95a4d978p-4, -0x1.1ccace1d17171p-44}, {0x1.15b1e5f75270dp+0, -0x1.4d3115d208p-4, 0x1.53e2582f4e1efp-48},
    {0x1.1485f0e0acd3bp+0, -0x1.3bdf5a7d2p-4, 0x1.1a1e0ad125895p-44}, {0x1.135c81135c811p+0, -0x1.2aa04a447p-4, -0x1.7a16ba8b1cb41p-44},
    {0x1.12358e75d3033p+0, -0x1.1973bd1464p-4, -0x1.560a154f930b3p-44}, {0x1.1111111111111p+0, -0x1.08598b59e4p-4, 0x1.7e9dd7009902cp-46},
    {0x1.0fef010fef011p+0, -0x1.eea31c0068p-5, -0x1.c3de83606d891p-44}, {0x1.0ecf56be69c9p+0, -0x1.ccb73cddd8p-5, -0x1.967c36e09f5fep-44},
    {0x1.0db20a88f4696p+0, -0x1.aaef2d0fbp-5, -0x1.1085a353bb42ep-45}, {0x1.0c9714fbcda3bp+0, -0x1.894aa149f8p-5, -0x1.9a55a8be97661p-44},
    {0x1.0b7e6ec259dc8p+0, -0x1.67c94f2d48p-5, -0x1.db2a0827cca0cp-44}, {0x1.0a6810a6810a7p+0, -0x1.466aed42ep-5, 0x1.c073375bdfd28p-45},
    {0x1.0953f39010954p+0, -0x1.252f32f8dp-5, -0x1.8401ae021b67bp-45}, {0x1.0842108421084p+0, -0x1.0415d89e78p-5, 0x1.ddfc7f461c516p-44},
    {0x1.073260a47f7c6p+0, -0x1.c63d2ec15p-6, 0x1.54a3ce030a687p-44}, {0x1.0624dd2f1a9fcp+0, -0x1.8492528c9p-6, 0x1.a9dba325a0c34p-45},
    {0x1.05197f7d73404p+0, -0x1.432a92598p-6, -0x1.97739928637fep-47}, {0x1.041041041041p+0, -0x1.020565893p-6, -0x1.60dd27c8e8417p-44},
    {0x1.03091b51f5e1ap+0, -0x1.82448a388p-7, -0x1.4506412c584ep-44}, {0x1.0204081020408p+0, -0x1.010157588p-7, -0x1.bcd251998b506p-44},
    {0x1.010101010101p+0, -0x1.008055958p-8, -0x1.164afcb31c67bp-45}, {0x1p+0, 0x0p+0, 0x0p+0},
    {0x1.fc07f01fc07fp-1, 0x1.fe02a6b1p-8, 0x1.9e63f0dda40e4p-46}, {0x1.f81f81f81f82p-1, 0x1.fc0a8b0fcp-7, 0x1.e1e7cf6d3a69cp-50},
    {0x1.f44659e4a4271p-1, 0x1.7b91b07d6p-6, -0x1.3b685b602ace4p-44}, {0x1.f07c1f07c1f08p-1, 0x1.f829b0e78p-6, 0x1.97c267c7e09e4p-45},
    {0x1.ecc07b301eccp-1, 0x1.39e87b9fe8p-5, 0x1.eb3d480ad9015p-44}, {0x1.e9131abf0b767p-1, 0x1.77458f633p-5, -0x1.1807ce586af09p-44},
    {0x1.e573ac901e574p-1, 0x1.b42dd71198p-5, -0x1.c8d7ae5d6704cp-46}, {0x1.e1e1e1e1e1e1ep-1, 0x1.f0a30c0118p-5, -0x1.d579e83368e91p-45},
    {0x1.de5d6e3f8868ap-1, 0x1.16536eea38p-4, -0x1.472de768fa309p-46}, {0x1.dae6076b981dbp-1, 0x1.341d7961bcp-4, 0x1.1cfb29983761p-44},
    {0x1.d77b654b82c34p-1, 0x1.51b073f06p-4, 0x1.83ba9278e686ap-44}, {0x1.d41d41d41d41dp-1, 0x1.6f0d28ae58p-4, -0x1.4b2241b664613p-44},
    {0x1.d0cb58f6ec074p-1, 0x1.8c345d6318p-4, 0x1.b22b5acb42a66p-44}, {0x1.cd85689039b0bp-1, 0x1.a926d3a4acp-4, 0x1.561c50bd22a9cp-44},
    {0x1.ca4b3055ee191p-1, 0x1.c5e548f5bcp-4, 0x1.d0c97585fbe06p-46}, {0x1.c71c71c71c71cp-1, 0x1.e27076e2bp-4, -0x1.a2c2c2af0003cp-45},
    {0x1.c3f8f01c3f8fp-1, 0x1.fec9131dcp-4, -0x1.54455d1ae6607p-44}, {0x1.c0e070381c0ep-1, 0x1.0d77e7cd08p-3, 0x1.cb6cd2ee2f482p-44},
    {0x1.bdd2b899406f7p-1, 0x1.1b72ad52f6p-3, 0x1.e86041811a396p-45}, {0x1.bacf914c1badp-1, 0x1.29552f82p-3, -0x1.5bd67f4471dfcp-44},
    {0x1.b7d6c3dda338bp-1, 0x1.371fc201e8p-3, 0x1.eea079b2d8abcp-44}, {0x1.b4e81b4e81b4fp-1, 0x1.44d2b6ccb8p-3, -0x1.71f416135783cp-46},
    {0x1.b2036406c80d9p-1, 0x1.526e5e3a1cp-3, -0x1.790aa37fc5238p-44}, {0x1.af286bca1af28p-1, 0x1.5ff3070a7ap-3, -0x1.8546f183bebf2p-44},
    {0x1.ac5701ac5701bp-1, 0x1.6d60fe719ep-3, -0x1.bc91557134767p-44}, {0x1.a98ef606a63bep-1, 0x1.7ab890210ep-3, -0x1.be51072534a58p-45},
    {0x1.a6d01a6d01a6dp-1, 0x1.87fa06520cp-3, 0x1.22130401202fcp-44}, {0x1.a41a41a41a41ap-1, 0x1.9525a9cf46p-3, -0x1.294937d9f158fp-44},
    {0x1.a16d3f97a4b02p-1, 0x1.a23bc1fe2cp-3, -0x1.53d6d91dc9f0bp-44}, {0x1.9ec8e951033d9p-1, 0x1.af3c94e80cp-3, -0x1.92e633fcd9066p-52},
    {0x1.9c2d14ee4a102p-1, 0x1.bc286742d8p-3, 0x1.9a873f39d121cp-44}, {0x1.999999999999ap-1, 0x1.c8ff7c79aap-3, -0x1.7814f689f8434p-45},
    {0x1.970e4f80cb872p-1, 0x1.d5c216b4fcp-3, -0x1.1b0d1bbca681bp-45}, {0x1.948b0fcd6e9ep-1, 0x1.e27076e2bp-3, -0x1.a302c2af0003cp-44},
    {0x1.920fb49d0e229p-1, 0x1.ef0adcbdc6p-3, -0x1.b2a179c86af24p-45}, {0x1.8f9c18f9c18fap-1, 0x1.fb9186d5e4p-3, -0x1.d6b2aab993c87p-47},
    {0x1.8d3018d3018d3p-1, 0x1.0402594b4dp-2, 0x1.037b89ef42d7fp-48}, {0x1.8acb90f6bf3aap-1, 0x1.0a324e2739p-2, 0x1.c4dee7ef4030ep-47},
    {0x1.886e5f0abb04ap-1, 0x1.1058bf9ae5p-2, -0x1.4affd817d52cdp-44}, {0x1.8618618618618p-1, 0x1.1675cababap-2, 0x1.83c0e731f55c4p-44},
    {0x1.83c977ab2beddp-1, 0x1.1c898c169ap-2, -0x1.81260e5c62affp-44}, {0x1.8181818181818p-1, 0x1.22941fbcf8p-2, -0x1.a6876f5eb0963p-44},
    {0x1.7f405fd017f4p-1, 0x1.2895a13de8p-2, 0x1.a917ad24c13fp-44}, {0x1.7d05f417d05f4p-1, 0x1.2e8e2bae12p-2, -0x1.6791e99b72bd8p-45},
    {0x1.7ad2208e0ecc3p-1, 0x1.347dd9a988p-2, -0x1.5522dd4c58092p-45}, {0x1.78a4c8178a4c8p-1, 0x1.3a64c55694p-2, 0x1.7a81cbcd735dp-44},
    {0x1.767dce434a9b1p-1, 0x1.404308686ap-2, 0x1.f8f043049f7d3p-44}, {0x1.745d1745d1746p-1, 0x1.4618bc21c6p-2, -0x1.3e02f484c84ccp-46},
    {0x1.724287f46debcp-1, 0x1.4be5f95778p-2, -0x1.d7c52cd9ad824p-44}, {0x1.702e05c0b817p-1, 0x1.51aad872ep-2, -0x1.f49d8db0a7cc1p-44},
    {0x1.6e1f76b4337c7p-1, 0x1.5767717456p-2, -0x1.650fd9524d7cap-44}, {0x1.6c16c16c16c17p-1, 0x1.5d1bdbf581p-2, -0x1.8d97dc9c7c238p-44},
};

CF_INLINE cf_dd cf64_log_pair(cf_dd x) {
    int64_t shift = (int64_t)(0);
    if (x.h < 0x1p-1022) {
        x = (cf_dd){x.h * 0x1p54, 0};
        shift = 54;
    }
    uint64_t u = cf_bits64(x.h);
    int64_t above = (int64_t)(u - 0x3fe6900000000000u);
    int64_t k = above >> 52;
    uint64_t i = (uint64_t)(above>>45) & 127;
    double m = cf_f64(u - ((uint64_t)(k) << 52));
    double ml = 0.0;
    if (k < 60) {
        ml = (x.l * cf64_power2(-k));
    }
    double c = cf64_log_table[i][0];
    cf_dd p = cf64_two_prod(m, c);
    double rh = p.h - 1;
    double rl = p.l + (ml*c);
    cf_dd r = cf64_fast_two_sum(rh, rl);
    double n = (double)(k - shift);
    double w = (n*CF64_LN2_HIGH_H) + cf64_log_table[i][1];
    double low = (n*CF64_LN2_HIGH_L) + cf64_log_table[i][2];
    cf_dd a = cf64_two_sum(w, r.h);
    cf_dd sq = cf64_two_prod(r.h, -0.5*r.h);
    cf_dd b = cf64_two_sum(a.h, sq.h);
    double z = (r.h * r.h);
    double t = ((z*r.h) * (0x1.5555555555555p-2 + (r.h*(-0.25+(r.h*(0x1.999999999999ap-3+(r.h*(-0x1.5555555555555p-3+(r.h*(0x1.2492492492492p-3+(r.h*(-0.125+(r.h*0x1.c71c71c71c71cp-4)))))))))))));
    return cf64_fast_two_sum(b.h, ((a.l+b.l)+(sq.l+low))+((r.l-(r.h*r.l))+t));
}

CF_INLINE double cf64_log_special(double x) {
    if (x == 0) {
        return -1 / (x*x);
    }
    if (x < 0) {
        return cf_f64(CF64_NAN);
    }
    return x;
}

CF_INLINE int cf64_is_ordinary(double x) {
    return cf_bits64(x)-1 < 0x7fefffffffffffffu;
}

CF_INLINE double cf64_log(double x) {
    if (!cf64_is_ordinary(x)) {
        return cf64_log_special(x);
    }
    cf_dd l = cf64_log_pair((cf_dd){x, 0});
    return l.h + l.l;
}

CF_INLINE double cf64_log2(double x) {
    if (!cf64_is_ordinary(x)) {
        return cf64_log_special(x);
    }
    cf_dd l = cf64_times(cf64_log_pair((cf_dd){x, 0}), (cf_dd){CF64_LOG2E_H, CF64_LOG2E_L});
    return l.h + l.l;
}

CF_INLINE double cf64_log10(double x) {
    if (!cf64_is_ordinary(x)) {
        return cf64_log_special(x);
    }
    cf_dd l = cf64_times(cf64_log_pair((cf_dd){x, 0}), (cf_dd){CF64_LOG10E_H, CF64_LOG10E_L});
    return l.h + l.l;
}

CF_INLINE double cf64_log1p(double x) {
    if (cf64_abs_bits(x) < 0x3c90000000000000u) {
        return x;
    }
    if (!cf64_is_ordinary(1 + x)) {
        return cf64_log_special(1 + x);
    }
    cf_dd l = cf64_log_pair(cf64_two_sum(1, x));
    return l.h + l.l;
}

#endif
