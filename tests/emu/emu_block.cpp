/* emu_block.cpp: runs the blocks of a grid one after another, the threads of a block as fibers.
 *
 * A fiber runs one thread after another as plain calls until one has to wait; only then does that
 * thread keep the fiber, and another fiber goes on with the rest. So kernels without barriers never
 * switch. Threads that can go on run before threads that have not begun, which keeps few stacks
 * warm. When nobody can go on and not all are through, a barrier was divergent: a report. */
#include "emu.h"
#include "emu_fiber.h"

#include <numeric>

uint3 threadIdx, blockIdx;
dim3 blockDim, gridDim;

/* ---- order ----------------------------------------------------------------------------------- */

static uint64_t random_state;

static uint64_t random_number(void) { /* splitmix64 */
  uint64_t z = random_state += 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

/* Visits 0 ... count - 1, each once, by a step that has no factor in common with count. */
struct emu_walk {
  uint64_t at, step, count;

  void begin(uint64_t count_) {
    count = count_;
    at = 0;
    step = 1;
    if (emu_get().order == EMU_REVERSE) {
      at = step = count - 1;
    } else if (emu_get().order == EMU_RANDOM) {
      at = random_number() % count;
      do {
        step = random_number() % count + 1;
      } while (std::gcd(step, count) != 1);
    }
  }
  uint64_t next() {
    const uint64_t here = at;
    at += step;
    at -= at >= count ? count : 0;
    return here;
  }
};

/* ---- one block ------------------------------------------------------------------------------- */

static const int MAX_THREADS = 1024, WARP = 32;
enum wait_kind { WAIT_BALLOT = 4 }; /* the kinds of shuffle are 0 to 3 */

struct emu_lane {
  emu_fiber *waiting;
  unsigned mask;
  int kind, source;
  uint64_t value;
  emu_site site;
};
struct emu_warp {
  unsigned alive, waiting;
};

static struct {
  const std::function<void()> *thread;
  emu_walk order;
  int count, begun, ended, now; /* threads; now: the one that runs */
  bool failed;
  emu_lane lanes[MAX_THREADS];
  emu_warp warps[MAX_THREADS / WARP];
  emu_fiber *ready[MAX_THREADS]; /* a ring */
  int ready_first, ready_count;
  emu_fiber *at_barrier[MAX_THREADS];
  int barrier_count, barrier_sum, barrier_result;
  emu_site barrier_site;
} block;

static void make_ready(emu_fiber *f) {
  block.ready[(block.ready_first + block.ready_count++) % MAX_THREADS] = f;
}

static emu_fiber *take_ready(void) {
  emu_fiber *f = block.ready[block.ready_first];
  block.ready_first = (block.ready_first + 1) % MAX_THREADS;
  block.ready_count--;
  return f;
}

static void set_thread(int thread) {
  block.now = thread;
  const unsigned index = (unsigned)thread;
  if (blockDim.y == 1 && blockDim.z == 1) {
    threadIdx = {index, 0, 0};
  } else {
    threadIdx = {index % blockDim.x, index / blockDim.x % blockDim.y,
                 index / (blockDim.x * blockDim.y)};
  }
}

/* Leaves the running thread where it is and lets others go on, until it is ready again. */
static void wait(void) {
  const int self = block.now;
  if (block.ready_count > 0) {
    emu_fiber_switch(take_ready());
  } else {
    emu_fiber_switch(block.begun < block.count ? emu_fiber_take_idle() : emu_main_fiber);
  }
  set_thread(self);
}

/* Ends the grid from within a thread, which does not come back. */
static void fail(const char *what, emu_site site) {
  emu_break(cudaErrorLaunchFailure, "%s:%d: block (%u, %u, %u), thread (%u, %u, %u): %s", site.file,
            site.line, blockIdx.x, blockIdx.y, blockIdx.z, threadIdx.x, threadIdx.y, threadIdx.z,
            what);
  block.failed = true;
  emu_fiber_switch(emu_main_fiber);
}

/* Lets the lanes of one mask go on once all that are left have come to the same operation. */
static bool complete_warp(int w, int first) {
  emu_warp *group = &block.warps[w];
  emu_lane *lanes = &block.lanes[w * WARP];
  const unsigned mask = lanes[first].mask, together = mask & group->alive;
  if ((group->waiting & together) != together) {
    return false;
  }
  unsigned ballot = 0;
  uint64_t given[WARP];
  for (unsigned rest = together; rest; rest &= rest - 1) {
    const int l = __builtin_ctz(rest);
    if (lanes[l].mask != mask || lanes[l].kind != lanes[first].kind) {
      return false;
    }
    given[l] = lanes[l].value;
    ballot |= lanes[l].value ? 1u << l : 0;
  }
  group->waiting &= ~together;
  for (unsigned rest = together; rest; rest &= rest - 1) {
    const int l = __builtin_ctz(rest);
    if (lanes[l].kind == WAIT_BALLOT) {
      lanes[l].value = ballot;
    } else { /* from a lane that takes no part: undefined on a device; here a NaN, so that it shows
              */
      lanes[l].value = together >> lanes[l].source & 1 ? given[lanes[l].source] : ~(uint64_t)0;
    }
    make_ready(lanes[l].waiting);
  }
  return true;
}

static void run_thread(void) {
  set_thread((int)block.order.next());
  block.begun++;
  (*block.thread)();
  block.ended++;
  const int w = block.now / WARP;
  emu_warp *group = &block.warps[w];
  group->alive &= ~(1u << block.now % WARP);
  /* Whoever waited for this lane need not any more. */
  for (unsigned rest = group->waiting; rest; rest &= group->waiting) {
    complete_warp(w, __builtin_ctz(rest));
    rest &= rest - 1;
  }
}

void emu_fiber_loop(void) {
  for (;;) {
    if (block.ready_count > 0) {
      emu_fiber_become_idle();
      emu_fiber_switch(take_ready());
    } else if (block.begun < block.count) {
      run_thread();
    } else {
      emu_fiber_become_idle();
      emu_fiber_switch(emu_main_fiber);
    }
  }
}

/* Says who waits where, now that nobody can go on. */
static void report_divergence(void) {
  const int elsewhere = block.count - block.ended - block.barrier_count;
  if (block.barrier_count > 0) {
    emu_break(
        cudaErrorLaunchFailure,
        "%s:%d: block (%u, %u, %u): divergent barrier: %d of %d threads wait, %d have left the "
        "kernel, %d wait elsewhere",
        block.barrier_site.file, block.barrier_site.line, blockIdx.x, blockIdx.y, blockIdx.z,
        block.barrier_count, block.count, block.ended, elsewhere);
    return;
  }
  for (int w = 0; w * WARP < block.count; w++) {
    if (block.warps[w].waiting) {
      const int t = w * WARP + __builtin_ctz(block.warps[w].waiting);
      emu_break(cudaErrorLaunchFailure,
                "%s:%d: block (%u, %u, %u), warp %d: lanes %08x wait, thread %d for mask %08x, but "
                "they do not come to the same operation",
                block.lanes[t].site.file, block.lanes[t].site.line, blockIdx.x, blockIdx.y,
                blockIdx.z, w, block.warps[w].waiting, t, block.lanes[t].mask);
      return;
    }
  }
}

static bool run_block(void) {
  block.order.begin((uint64_t)block.count);
  block.begun = block.ended = 0;
  block.ready_first = block.ready_count = block.barrier_count = block.barrier_sum = 0;
  for (int w = 0; w * WARP < block.count; w++) {
    const int lanes = block.count - w * WARP;
    block.warps[w] = {lanes < WARP ? (1u << lanes) - 1 : ~0u, 0};
  }
  emu_fiber_switch(emu_fiber_take_idle());
  if (!block.failed && block.ended < block.count) {
    report_divergence();
    block.failed = true;
  }
  if (block.failed) { /* threads are stuck in their fibers */
    emu_fiber_reset_all();
  }
  return !block.failed;
}

bool emu_run_grid(dim3 grid, dim3 threads, const std::function<void()> &thread) {
  static bool seeded = false;
  if (!seeded) {
    random_state = emu_get().seed;
    seeded = true;
  }
  gridDim = grid;
  blockDim = threads;
  block.thread = &thread;
  block.count = (int)(threads.x * threads.y * threads.z);
  block.failed = false;
  const uint64_t blocks = (uint64_t)grid.x * grid.y * grid.z;
  emu_walk order;
  order.begin(blocks);
  for (uint64_t b = 0; b < blocks && !block.failed; b++) {
    const uint64_t index = order.next();
    blockIdx = {(unsigned)(index % grid.x), (unsigned)(index / grid.x % grid.y),
                (unsigned)(index / grid.x / grid.y)};
    run_block();
  }
  return !block.failed;
}

/* ---- called by kernels ----------------------------------------------------------------------- */

unsigned emu_lane_bit(void) {
  return 1u << block.now % WARP;
}

unsigned emu_thread_count(void) {
  return (unsigned)block.count;
}

int emu_barrier(bool predicate, emu_site site) {
  if (block.barrier_count == 0) {
    block.barrier_site = site;
  } else if (site.line != block.barrier_site.line || site.file != block.barrier_site.file) {
    fail("divergent barrier: other threads of the block wait at another one", site);
  }
  block.at_barrier[block.barrier_count++] = emu_fiber_current();
  block.barrier_sum += predicate;
  if (block.barrier_count == block.count) {
    block.barrier_result = block.barrier_sum;
    block.barrier_count = block.barrier_sum = 0;
    for (int t = 0; t < block.count; t++) {
      make_ready(block.at_barrier[t]);
    }
  }
  wait();
  return block.barrier_result;
}

static uint64_t warp_operation(unsigned mask, int kind, int source, uint64_t value, emu_site site) {
  emu_lane *self = &block.lanes[block.now];
  if (!(mask & emu_lane_bit())) {
    fail("the mask of a warp operation lacks the thread that calls", site);
  }
  *self = {emu_fiber_current(), mask, kind, source, value, site};
  block.warps[block.now / WARP].waiting |= emu_lane_bit();
  complete_warp(block.now / WARP, block.now % WARP);
  wait();
  return self->value;
}

unsigned emu_ballot(unsigned mask, bool predicate, emu_site site) {
  return (unsigned)warp_operation(mask, WAIT_BALLOT, 0, predicate, site);
}

uint64_t emu_shuffle(unsigned mask, uint64_t bits, emu_shuffle_kind kind, int operand, int width,
                     emu_site site) {
  if (width < 1 || width > WARP || (width & (width - 1))) {
    fail("the width of a shuffle is not 1, 2, 4, 8, 16 or 32", site);
  }
  const int self = block.now % WARP, first = self & ~(width - 1), last = first + width - 1;
  int source = self;
  switch (kind) {
  case EMU_SHUFFLE_INDEX:
    source = first | (operand & (width - 1));
    break;
  case EMU_SHUFFLE_UP:
    source = (unsigned)operand <= (unsigned)(self - first) ? self - operand : self;
    break;
  case EMU_SHUFFLE_DOWN:
    source = (unsigned)operand <= (unsigned)(last - self) ? self + operand : self;
    break;
  case EMU_SHUFFLE_XOR:
    source = (self ^ (operand & 31)) <= last ? self ^ (operand & 31) : self;
    break;
  }
  return warp_operation(mask, kind, source, bits, site);
}
