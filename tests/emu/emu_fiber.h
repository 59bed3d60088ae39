/* emu_fiber.h: flows of control with stacks of their own, all on one thread of the host.
 *
 * The flow that starts the others is emu_main_fiber. All fibers run the same loop, which never
 * returns; whoever leaves it for good is put back to the start by emu_fiber_reset_all. */
#ifndef TL_EMU_FIBER_H
#define TL_EMU_FIBER_H

struct emu_fiber;
extern emu_fiber *const emu_main_fiber;

emu_fiber *emu_fiber_current(void);
/* Goes on there; returns when somebody switches back. */
void emu_fiber_switch(emu_fiber *to);
/* A fiber with nothing to do, made if there is none. */
emu_fiber *emu_fiber_take_idle(void);
/* The running fiber has nothing to do from here on. */
void emu_fiber_become_idle(void);
/* All are idle again, whatever they were in the middle of. To be called by the main one. */
void emu_fiber_reset_all(void);
/* What fibers do: defined by the user of this file. */
void emu_fiber_loop(void);

#endif
