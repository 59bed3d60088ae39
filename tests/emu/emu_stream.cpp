/* emu_stream.cpp: streams, events, and launches: what runs after what.
 *
 * Work is run when it is queued, or with EMU_LAZY when something waits for it, and then nothing but
 * the work waited for and what that depends on: so a missing synchronisation always shows.
 * The order in which work was queued never contradicts the dependencies, so what is wanted runs in
 * that order. The default stream waits for all blocking streams and they for it, as in CUDA. */
#include "emu_stream.h"

#include <time.h>

#include <list>
#include <set>

/* Never destroyed: the program may call until its very end. */
static emu_stream &default_stream = *new emu_stream();
static std::set<emu_stream *> &streams = *new std::set<emu_stream *>{&default_stream};
static std::set<emu_event *> &events = *new std::set<emu_event *>();
static std::list<emu_work> &pending = *new std::list<emu_work>(); /* as queued */

long emu_waits, emu_launches, emu_runs;

static double clock_seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

emu_stream *emu_find_stream(cudaStream_t handle) {
  emu_stream *stream = handle ? handle : &default_stream;
  return streams.count(stream) ? stream : nullptr;
}

const std::set<emu_stream *> &emu_streams(void) {
  return streams;
}

emu_event *emu_find_event(cudaEvent_t event) {
  return events.count(event) ? event : nullptr;
}

static bool is_blocking(const emu_stream *stream) {
  return !(stream->flags & cudaStreamNonBlocking);
}

/* ---- the queue ------------------------------------------------------------------------------- */

static void run(emu_work_item *work) {
  if (work->run && !emu_is_broken()) {
    emu_open open;
    work->run();
  }
  work->done = true;
  work->seconds = clock_seconds();
  work->run = nullptr;
  work->after.clear();
}

/* Runs the work and all it depends on. */
static void run_wanted(const emu_work &work) {
  std::vector<emu_work_item *> open = {work.get()};
  while (!open.empty()) {
    emu_work_item *item = open.back();
    open.pop_back();
    if (item && !item->done && !item->wanted) {
      item->wanted = true;
      for (const emu_work &before : item->after) {
        open.push_back(before.get());
      }
    }
  }
  for (auto it = pending.begin(); it != pending.end();) {
    const emu_work item = *it;
    it = item->wanted ? pending.erase(it) : std::next(it);
    if (item->wanted) {
      run(item.get());
    }
  }
}

emu_work emu_enqueue(emu_stream *stream, std::function<void()> action,
                     std::vector<emu_work> after) {
  emu_work work = std::make_shared<emu_work_item>();
  work->run = std::move(action);
  work->after = std::move(after);
  work->after.push_back(stream->last);
  for (emu_stream *other : streams) {
    if (is_blocking(other) && is_blocking(stream) &&
        (other == &default_stream || stream == &default_stream)) {
      work->after.push_back(other->last);
    }
  }
  stream->last = work;
  pending.push_back(work);
  if (!emu_get().lazy) {
    run_wanted(work);
  }
  return work;
}

/* The end of what is queued on a stream; on the default one with all that it waits for. */
static emu_work end_of(emu_stream *stream) {
  return stream == &default_stream ? emu_enqueue(stream, nullptr, {}) : stream->last;
}

void emu_drain(cudaStream_t handle) {
  run_wanted(end_of(emu_find_stream(handle)));
}

void emu_drain_all(void) {
  while (!pending.empty()) {
    run_wanted(pending.front());
  }
}

cudaError_t emu_submit(cudaStream_t handle, std::function<void()> action) {
  emu_stream *stream = emu_find_stream(handle);
  if (!stream) {
    return emu_fail(cudaErrorInvalidResourceHandle);
  }
  if (stream->capture) {
    return emu_capture_add(stream, std::move(action));
  }
  if (stream == &default_stream) {
    for (emu_stream *other : streams) {
      if (other->capture && is_blocking(other)) {
        other->capture->spoiled = true;
        return emu_fail(cudaErrorStreamCaptureImplicit);
      }
    }
  }
  emu_enqueue(stream, std::move(action), {});
  return cudaSuccess;
}

/* ---- streams --------------------------------------------------------------------------------- */

cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned flags) {
  EMU_ENTER;
  if (!stream || flags > cudaStreamNonBlocking) {
    return emu_fail(cudaErrorInvalidValue);
  }
  *stream = new emu_stream();
  (*stream)->flags = flags;
  (*stream)->device = emu_device();
  streams.insert(*stream);
  return cudaSuccess;
}

cudaError_t cudaStreamCreate(cudaStream_t *stream) {
  return cudaStreamCreateWithFlags(stream, cudaStreamDefault);
}

cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  EMU_ENTER;
  if (!stream || !emu_find_stream(stream)) {
    return emu_fail(cudaErrorInvalidResourceHandle);
  }
  if (stream->capture) {
    stream->capture->spoiled = true;
  } else if (is_blocking(stream)) { /* what it had queued still comes before the default stream's */
    emu_enqueue(&default_stream, nullptr, {});
  }
  streams.erase(stream);
  delete stream;
  return cudaSuccess;
}

/* Whether work is under way; by asking it gets done, else polling would never end. */
static cudaError_t query(const emu_work &work) {
  if (!work || work->done) {
    return emu_enter();
  }
  run_wanted(work);
  return emu_fail(cudaErrorNotReady);
}

static cudaError_t check_waitable(cudaStream_t handle, emu_stream **stream) {
  *stream = emu_find_stream(handle);
  if (!*stream) {
    return emu_fail(cudaErrorInvalidResourceHandle);
  }
  if ((*stream)->capture) {
    return emu_spoil_capture(handle);
  }
  return *stream == &default_stream ? emu_refuse_capture() : cudaSuccess;
}

cudaError_t cudaStreamSynchronize(cudaStream_t handle) {
  EMU_ENTER;
  emu_stream *stream;
  if (const cudaError_t error = check_waitable(handle, &stream)) {
    return error;
  }
  emu_waits++;
  emu_drain(handle);
  return emu_enter();
}

cudaError_t cudaStreamQuery(cudaStream_t handle) {
  EMU_ENTER;
  emu_stream *stream;
  if (const cudaError_t error = check_waitable(handle, &stream)) {
    return error;
  }
  return query(end_of(stream));
}

cudaError_t cudaDeviceSynchronize(void) {
  EMU_ENTER;
  if (const cudaError_t error = emu_refuse_capture()) {
    return error;
  }
  emu_waits++;
  emu_drain_all();
  return emu_enter();
}

cudaError_t cudaStreamWaitEvent(cudaStream_t handle, cudaEvent_t event, unsigned) {
  EMU_ENTER;
  emu_stream *stream = emu_find_stream(handle);
  if (!stream || !emu_find_event(event)) {
    return emu_fail(cudaErrorInvalidResourceHandle);
  }
  if (stream->capture || event->capture) {
    return emu_capture_wait(stream, event);
  }
  if (event->work) {
    emu_enqueue(stream, nullptr, {event->work});
  }
  return cudaSuccess;
}

/* ---- events ---------------------------------------------------------------------------------- */

cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned flags) {
  EMU_ENTER;
  if (!event || flags > (cudaEventBlockingSync | cudaEventDisableTiming)) {
    return emu_fail(cudaErrorInvalidValue);
  }
  *event = new emu_event();
  (*event)->flags = flags;
  (*event)->device = emu_device();
  events.insert(*event);
  return cudaSuccess;
}

cudaError_t cudaEventCreate(cudaEvent_t *event) {
  return cudaEventCreateWithFlags(event, cudaEventDefault);
}

cudaError_t cudaEventDestroy(cudaEvent_t event) {
  EMU_ENTER;
  if (!events.erase(event)) {
    return emu_fail(cudaErrorInvalidResourceHandle);
  }
  delete event;
  return cudaSuccess;
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t handle) {
  EMU_ENTER;
  emu_stream *stream = emu_find_stream(handle);
  if (!stream || !emu_find_event(event) ||
      (stream->device >= 0 && stream->device != event->device)) {
    return emu_fail(cudaErrorInvalidResourceHandle);
  }
  event->capture = stream->capture; /* marks a point of the capture; no node */
  event->tails = stream->tails;
  event->work = stream->capture ? nullptr : emu_enqueue(stream, nullptr, {});
  return cudaSuccess;
}

static cudaError_t check_event(cudaEvent_t event) {
  if (!emu_find_event(event)) {
    return emu_fail(cudaErrorInvalidResourceHandle);
  }
  if (event->capture) {
    event->capture->spoiled = true;
    return emu_fail(cudaErrorCapturedEvent);
  }
  return cudaSuccess;
}

cudaError_t cudaEventSynchronize(cudaEvent_t event) {
  EMU_ENTER;
  if (const cudaError_t error = check_event(event)) {
    return error;
  }
  if (event->work) {
    emu_waits += !event->work->done;
    run_wanted(event->work);
  }
  return emu_enter();
}

cudaError_t cudaEventQuery(cudaEvent_t event) {
  EMU_ENTER;
  if (const cudaError_t error = check_event(event)) {
    return error;
  }
  return query(event->work);
}

cudaError_t cudaEventElapsedTime(float *milliseconds, cudaEvent_t start, cudaEvent_t end) {
  EMU_ENTER;
  for (cudaEvent_t event : {start, end}) {
    if (const cudaError_t error = check_event(event)) {
      return error;
    }
    if (!event->work || event->flags & cudaEventDisableTiming) {
      return emu_fail(cudaErrorInvalidResourceHandle);
    }
    if (!event->work->done) {
      return emu_fail(cudaErrorNotReady);
    }
  }
  *milliseconds = (float)(1e3 * (end->work->seconds - start->work->seconds));
  return cudaSuccess;
}

/* ---- launches -------------------------------------------------------------------------------- */

static cudaError_t refuse_launch(void) {
  return ++emu_launches == emu_get().fail_launch ? emu_fail(cudaErrorLaunchOutOfResources)
                                                 : cudaSuccess;
}

/* Once per kernel or primitive that really runs, replays of graphs included. */
static bool is_run_good(void) {
  if (++emu_runs == emu_get().fail_run) {
    emu_break(cudaErrorLaunchFailure, "run %ld breaks off, as asked for", emu_runs);
    return false;
  }
  return !emu_is_broken();
}

cudaError_t emu_launch(const cudaLaunchConfig_t *config, std::function<void()> thread) {
  EMU_ENTER;
  const dim3 grid = config->gridDim, block = config->blockDim;
  if (config->dynamicSmemBytes != 0 || config->numAttrs != 0) {
    return emu_fail(cudaErrorNotSupported);
  }
  if ((uint64_t)block.x * block.y * block.z - 1 >= 1024 || block.x > 1024 || block.y > 1024 ||
      block.z > 64 || grid.x - 1 >= 0x7fffffffu || grid.y - 1 >= 65535 || grid.z - 1 >= 65535) {
    return emu_fail(cudaErrorInvalidConfiguration);
  }
  if (const cudaError_t error = refuse_launch()) {
    return error;
  }
  return emu_submit(config->stream, [grid, block, thread = std::move(thread)] {
    if (is_run_good()) {
      emu_run_grid(grid, block, thread);
    }
  });
}

cudaError_t emu_queue(cudaStream_t stream, std::function<void()> work) {
  EMU_ENTER;
  if (const cudaError_t error = refuse_launch()) {
    return error;
  }
  return emu_submit(stream, [work = std::move(work)] {
    if (is_run_good()) {
      work();
    }
  });
}
