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
EACH(nibble, 0x0f0f0f0f0f0f0f0f)

// What makes an escape sequence with a backslash before it is " / \ b f n r t, or in hexadecimal 22 2f 5c 62 66 6e 72 74: the tables have
// a bit for each first digit (1 for 2, 2 for 5, 4 for 6, 8 for 7), by the first digit and by the second.
#define TABLE(name, low, high) \
	DATA name<>+0(SB)/8, $low \
	DATA name<>+8(SB)/8, $high \
	DATA name<>+16(SB)/8, $low \
	DATA name<>+24(SB)/8, $high \
	GLOBL name<>(SB), RODATA|NOPTR, $32

TABLE(firsts, 0x0804020000010000, 0x0000000000000000)
TABLE(seconds, 0x00040008000d0000, 0x0104000200000000)

// SIMPLE marks in to the bytes of text that make no escape sequence with a backslash before them. Y15 is zero.
#define SIMPLE(text, to) \
	VPSRLW   $4, text, Y10 \
	VPAND    Y11, Y10, Y10 \
	VPSHUFB  Y10, Y12, Y10 \
	VPSHUFB  text, Y13, to \
	VPAND    Y10, to, to \
	VPCMPEQB Y15, to, to

// MASK makes one bit of each of 64 marks.
#define MASK(low, high, to) \
	VPMOVMSKB low, to \
	VPMOVMSKB high, AX \
	SHLQ      $32, AX \
	ORQ       AX, to

// func passText(text *byte, size int) (at int, stop, escaped uint64)
//
// It passes over 64 bytes at a time, while 64 are left, up to those among which some byte stops it. R12 is 1 when the first of the 64
// has a backslash before them that is not itself escaped. Along a run of backslashes each second one is escaped: a run that begins at
// an even place (R13 has the odd ones), subtracted from, borrows through to its end.
TEXT ·passText(SB), NOSPLIT, $0-40
	MOVQ    text+0(FP), SI
	MOVQ    size+8(FP), CX
	XORQ    DI, DI
	XORQ    R12, R12
	XORQ    BX, BX
	XORQ    DX, DX
	MOVQ    $0xAAAAAAAAAAAAAAAA, R13
	VMOVDQU nibble<>(SB), Y11
	VMOVDQU firsts<>(SB), Y12
	VMOVDQU seconds<>(SB), Y13
	VPXOR   Y15, Y15, Y15
	SUBQ    $64, CX
	JLT     done

next:
	VMOVDQU  0(SI)(DI*1), Y0
	VMOVDQU  32(SI)(DI*1), Y1
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
	SIMPLE(Y0, Y8)
	SIMPLE(Y1, Y9)
	MASK(Y2, Y3, BX)
	MASK(Y4, Y5, R9)
	MASK(Y6, Y7, R10)
	MASK(Y8, Y9, R11)

	// R8 = backslashes that may begin a sequence, DX = the escaped bytes, R9 = those backslashes that escape
	MOVQ R12, R8
	NOTQ R8
	ANDQ R9, R8
	LEAQ (R8)(R8*1), DX
	ORQ  R13, DX
	SUBQ R8, DX
	XORQ R13, DX
	MOVQ R9, R8
	ORQ  R12, R8
	ANDQ DX, R9
	XORQ R8, DX

	// BX = what stops: quotes that are not escaped, control characters, escaped bytes that are not simple
	MOVQ DX, R8
	NOTQ R8
	ANDQ R8, BX
	ORQ  R10, BX
	ANDQ DX, R11
	ORQ  R11, BX
	JNZ  done
	SHRQ $63, R9
	MOVQ R9, R12
	ADDQ $64, DI
	CMPQ DI, CX
	JLE  next

	// Nothing stops it, and fewer than 64 bytes are left: where they begin in the middle of a sequence, go back to its backslash.
	SUBQ R12, DI

done:
	MOVQ DI, at+16(FP)
	MOVQ BX, stop+24(FP)
	MOVQ DX, escaped+32(FP)
	VZEROUPPER
	RET
