/* emu_fiber.cpp: fibers, switched by hand on x86-64 and by ucontext elsewhere.
 *
 * ASan is told of every switch, else it would take the other stack for a smashed one.
 * EMU_UCONTEXT may be defined to try the portable way on x86-64 too. */
#include "emu_fiber.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <vector>

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define EMU_ASAN 1
#endif
#endif
#if defined(__SANITIZE_ADDRESS__)
#define EMU_ASAN 1
#endif
#ifdef EMU_ASAN
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif
#if !defined(__x86_64__) && !defined(EMU_UCONTEXT)
#define EMU_UCONTEXT 1
#endif
#ifdef EMU_UCONTEXT
#include <ucontext.h>
#endif

struct emu_fiber {
#ifdef EMU_UCONTEXT
  ucontext_t context;
#else
  void *stack_pointer;
#endif
  const void *stack; /* lowest address */
  size_t stack_size;
  void *fake_stack; /* ASan's */
};

static const size_t STACK_SIZE = 256 << 10, STAGGER = 4096;

static emu_fiber main_fiber;
static emu_fiber *current = &main_fiber, *previous;
emu_fiber *const emu_main_fiber = &main_fiber;
static std::vector<emu_fiber *> &fibers = *new std::vector<emu_fiber *>();
static std::vector<emu_fiber *> &idle = *new std::vector<emu_fiber *>();

#ifndef EMU_UCONTEXT
/* Saves what a call preserves, and the stack pointer; takes up the other side. */
extern "C" void emu_switch_stack(void **save, void *load);
__asm__(".pushsection .text\n"
        ".type emu_switch_stack, @function\n"
        "emu_switch_stack:\n"
        "  pushq %rbp\n  pushq %rbx\n  pushq %r12\n  pushq %r13\n  pushq %r14\n  pushq %r15\n"
        "  movq %rsp, (%rdi)\n"
        "  movq %rsi, %rsp\n"
        "  popq %r15\n  popq %r14\n  popq %r13\n  popq %r12\n  popq %rbx\n  popq %rbp\n"
        "  ret\n"
        ".size emu_switch_stack, . - emu_switch_stack\n"
        ".popsection\n");
#endif

static void arrive(emu_fiber *self) {
#ifdef EMU_ASAN
  __sanitizer_finish_switch_fiber(self->fake_stack, &previous->stack, &previous->stack_size);
#endif
  (void)self;
}

void emu_fiber_switch(emu_fiber *to) {
  emu_fiber *from = current;
  if (to == from) {
    return;
  }
  previous = from;
  current = to;
#ifdef EMU_ASAN
  __sanitizer_start_switch_fiber(&from->fake_stack, to->stack, to->stack_size);
#endif
#ifdef EMU_UCONTEXT
  swapcontext(&from->context, &to->context);
#else
  emu_switch_stack(&from->stack_pointer, to->stack_pointer);
#endif
  arrive(from);
}

static void fiber_main(void) {
  arrive(current);
  emu_fiber_loop();
}

/* Puts the fiber back to its beginning, whatever it was in the middle of. */
static void fiber_reset(emu_fiber *f, size_t index) {
  f->fake_stack = nullptr;
#ifdef EMU_ASAN
  __asan_unpoison_memory_region(f->stack, f->stack_size);
#endif
#ifdef EMU_UCONTEXT
  (void)index;
  getcontext(&f->context);
  f->context.uc_stack.ss_sp = (void *)f->stack;
  f->context.uc_stack.ss_size = f->stack_size;
  makecontext(&f->context, fiber_main, 0);
#else
  /* Staggered tops: else the stacks would all compete for the same few sets of the cache. */
  char *top = (char *)f->stack + f->stack_size - index * 192 % STAGGER;
  void **frame = (void **)(void *)top - 8; /* six registers, where to go, no way back */
  memset(frame, 0, 8 * sizeof *frame);
  frame[6] = (void *)fiber_main;
  f->stack_pointer = frame;
#endif
}

emu_fiber *emu_fiber_take_idle(void) {
  if (idle.empty()) {
    const size_t page = (size_t)sysconf(_SC_PAGESIZE); /* the lowest one catches an overflow */
    char *memory = (char *)mmap(nullptr, STACK_SIZE + page, PROT_READ | PROT_WRITE,
                                MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED || mprotect(memory, page, PROT_NONE) != 0) {
      fprintf(stderr, "emu: no memory for the stack of a thread\n");
      abort();
    }
    emu_fiber *f = new emu_fiber();
    f->stack = memory + page;
    f->stack_size = STACK_SIZE;
    fiber_reset(f, fibers.size());
    fibers.push_back(f);
    return f;
  }
  emu_fiber *f = idle.back();
  idle.pop_back();
  return f;
}

void emu_fiber_become_idle(void) {
  idle.push_back(current);
}

void emu_fiber_reset_all(void) {
  idle = fibers;
  for (size_t f = 0; f < fibers.size(); f++) {
    fiber_reset(fibers[f], f);
  }
}

emu_fiber *emu_fiber_current(void) {
  return current;
}
