/* clones.h: functions that are compiled for several instruction sets, of which the program takes
 * the best that the machine has when it is loaded: as nothing is contracted, the bits are the same.
 * Sanitizers cannot follow the choice, which is made before they are ready. */
#ifndef TL_CLONES_H
#define TL_CLONES_H

#if defined(__x86_64__) && defined(__GLIBC__) && defined(__GNUC__) && !defined(__clang__) && \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__) && !defined(__AVX2__)
#define TL_CLONES __attribute__((target_clones("default", "avx2", "avx512f")))
#define TL_CLONES_FEW __attribute__((target_clones("default", "avx2"))) /* slow to compile */
#else
#define TL_CLONES
#define TL_CLONES_FEW
#endif

#endif
