#include "textflag.h"

// EACH is a byte repeated 32 times.
#define EACH(name, eight) \
	DATA name<>+0(SB)/8, $eight \
	DATA name<>+8(SB)/8, $eight \
	DATA name<>+16(SB)/8, $eight \
	DATA name<>+24(SB)/8, $eight \
	GLOBL name<>(SB), RODATA|NOPTR, $32

EACH(quote, 0x2222222222222222)
EACH(slash, 0x5c5c5c5c5c5c5c5c)
EACH(control, 0x1f1f1f1f1f1f1f1f)
EACH(solidus, 0x2f2f2f2f2f2f2f2f)
EACH(letterB, 0x6262626262626262)
EACH(letterF, 0x6666666666666666)
EACH(letterN, 0x6e6e6e6e6e6e6e6e)
EACH(letterR, 0x7272727272727272)
EACH(letterT, 0x7474747474747474)

// ALSO marks in to, as well, the bytes of text that equal those of what.
#define ALSO(what, text, to) \
	VPCMPEQB what, text, Y10 \
	VPOR     Y10, to, to

// SIMPLE adds to quotes and backslashes, in to, what else makes an escape sequence with a backslash before it.
#define SIMPLE(text, quotes, slashes, to) \
	VPOR quotes, slashes, to \
	ALSO(Y11, text, to) \
	ALSO(Y12, text, to) \
	ALSO(Y13, text, to) \
	ALSO(Y14, text, to) \
	ALSO(Y15, text, to) \
	VPCMPEQB letterT<>(SB), text, Y10 \
	VPOR     Y10, to, to

// MASK makes one bit of each of 64 marks.
#define MASK(low, high, to) \
	VPMOVMSKB low, to \
	VPMOVMSKB high, AX \
	SHLQ      $32, AX \
	ORQ       AX, to

// func textMasks(text *[64]byte) (quotes, slashes, controls, simples uint64)
TEXT ·textMasks(SB), NOSPLIT, $0-40
	MOVQ     text+0(FP), SI
	VMOVDQU  0(SI), Y0
	VMOVDQU  32(SI), Y1
	VMOVDQU  quote<>(SB), Y10
	VPCMPEQB Y10, Y0, Y2
	VPCMPEQB Y10, Y1, Y3
	VMOVDQU  slash<>(SB), Y10
	VPCMPEQB Y10, Y0, Y4
	VPCMPEQB Y10, Y1, Y5
	VMOVDQU  control<>(SB), Y10
	VPMINUB  Y10, Y0, Y6
	VPCMPEQB Y6, Y0, Y6
	VPMINUB  Y10, Y1, Y7
	VPCMPEQB Y7, Y1, Y7
	MASK(Y2, Y3, R8)
	MASK(Y4, Y5, R9)
	MASK(Y6, Y7, R10)
	MOVQ     R8, quotes+8(FP)
	MOVQ     R9, slashes+16(FP)
	MOVQ     R10, controls+24(FP)
	XORQ     R11, R11
	TESTQ    R9, R9
	JZ       done
	VMOVDQU  solidus<>(SB), Y11
	VMOVDQU  letterB<>(SB), Y12
	VMOVDQU  letterF<>(SB), Y13
	VMOVDQU  letterN<>(SB), Y14
	VMOVDQU  letterR<>(SB), Y15
	SIMPLE(Y0, Y2, Y4, Y8)
	SIMPLE(Y1, Y3, Y5, Y9)
	MASK(Y8, Y9, R11)

done:
	MOVQ     R11, simples+32(FP)
	VZEROUPPER
	RET
