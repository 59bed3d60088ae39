/* exact.h: sums of doubles without any rounding, so that the order of the terms does not matter.
 *
 * A number is an integer times 2^-1088, written in digits of 32 bits; each digit lies in 64 bits,
 * which leaves room for 2^31 terms before a carry is needed. Sums of sums are sums of digits: the
 * blocks of a device, threads and ranks add what they have in any order and get the same digits.
 * Only the end rounds, once. */
#ifndef TL_ITEM_EXACT_H
#define TL_ITEM_EXACT_H

#include <string.h>

#include "kernels/item/real.h"

/* 67 digits hold any sum of 2^31 doubles; the last counts terms that are no finite numbers. */
enum { TL_EXACT_DIGITS = 68, TL_EXACT_BASE = 1088 };

typedef struct tl_exact {
  int64_t digit[TL_EXACT_DIGITS];
} tl_exact;

/* A double in three digits from `first` on; negative: they are to be subtracted. */
typedef struct tl_exact_term {
  int32_t first, negative;
  uint32_t digit[3];
} tl_exact_term;

/* first is TL_EXACT_DIGITS - 1, and one is to be added there, for what is not a finite number. */
TL_ITEM tl_exact_term tl_exact_split(double value) {
  uint64_t bits;
  tl_exact_term term;
  memcpy(&bits, &value, sizeof bits);
  const int32_t exponent = (int32_t)(bits >> 52) & 2047;
  uint64_t mantissa = bits & ((UINT64_C(1) << 52) - 1);
  if (exponent == 2047) {
    term.first = TL_EXACT_DIGITS - 1;
    term.negative = 0;
    term.digit[0] = 1;
    term.digit[1] = term.digit[2] = 0;
    return term;
  }
  mantissa |= exponent > 0 ? UINT64_C(1) << 52 : 0;
  const int32_t place = (exponent > 0 ? exponent : 1) - 1075 + TL_EXACT_BASE;
  const int32_t shift = place & 31;
  const uint64_t low = (mantissa & 0xFFFFFFFFu) << shift;
  const uint64_t high = ((mantissa >> 32) << shift) + (low >> 32);
  term.first = place >> 5;
  term.negative = (int32_t)(bits >> 63);
  term.digit[0] = (uint32_t)low;
  term.digit[1] = (uint32_t)high;
  term.digit[2] = (uint32_t)(high >> 32);
  return term;
}

TL_ITEM void tl_exact_add(tl_exact *sum, double value) {
  const tl_exact_term term = tl_exact_split(value);
  if (term.first == TL_EXACT_DIGITS - 1) {
    sum->digit[term.first]++;
    return;
  }
  for (int i = 0; i < 3; i++) {
    sum->digit[term.first + i] += term.negative ? -(int64_t)term.digit[i] : (int64_t)term.digit[i];
  }
}

/* Carries, so that every digit but the uppermost is 0 .. 2^32 - 1. */
TL_ITEM void tl_exact_carry(tl_exact *sum) {
  for (int i = 0; i < TL_EXACT_DIGITS - 2; i++) {
    const int64_t carry = sum->digit[i] >> 32;
    sum->digit[i] -= carry * ((int64_t)1 << 32);
    sum->digit[i + 1] += carry;
  }
}

/* The nearest double, NaN if a term was no finite number. The sum is left carried. */
TL_ITEM double tl_exact_round(tl_exact *sum) {
  tl_exact_carry(sum);
  const int negative = sum->digit[TL_EXACT_DIGITS - 2] < 0;
  for (int i = 0; negative && i < TL_EXACT_DIGITS - 1; i++) {
    sum->digit[i] = -sum->digit[i];
  }
  if (negative) {
    tl_exact_carry(sum);
  }
  if (sum->digit[TL_EXACT_DIGITS - 1] != 0) {
    return NAN;
  }
  int top = TL_EXACT_DIGITS - 2;
  while (top > 0 && sum->digit[top] == 0) {
    top--;
  }
  /* the 64 bits from the uppermost one on; a bit at their end stands for all that follow */
  uint64_t head = (uint64_t)sum->digit[top] << 32 | (top > 0 ? (uint64_t)sum->digit[top - 1] : 0);
  uint64_t tail = top > 1 ? (uint64_t)sum->digit[top - 2] : 0;
  int exponent = 32 * (top - 1) - TL_EXACT_BASE;
  if (head == 0) {
    return 0;
  }
  tail <<= 32;
  while (!(head >> 63)) {
    head = head << 1 | tail >> 63;
    tail <<= 1;
    exponent--;
  }
  int rest = tail != 0;
  for (int i = 0; i < top - 2 && !rest; i++) {
    rest = sum->digit[i] != 0;
  }
  const double value = ldexp((double)(head | (uint64_t)rest), exponent);
  return negative ? -value : value;
}

/* Of an array. */
TL_ITEM void tl_exact_add_all(tl_exact *sum, const double *value, int64_t count) {
  for (int64_t i = 0; i < count; i++) {
    tl_exact_add(sum, value[i]);
  }
}

TL_ITEM double tl_exact_sum(const double *value, int64_t count) {
  tl_exact sum;
  memset(&sum, 0, sizeof sum);
  tl_exact_add_all(&sum, value, count);
  return tl_exact_round(&sum);
}

#endif
