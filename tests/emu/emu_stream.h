/* emu_stream.h: streams, events, captures, as emu_stream.cpp and emu_graph.cpp share them. */
#ifndef TL_EMU_STREAM_H
#define TL_EMU_STREAM_H

#include "emu.h"

#include <memory>
#include <set>
#include <vector>

struct emu_work_item;
typedef std::shared_ptr<emu_work_item> emu_work;

struct emu_work_item {
  std::function<void()> run; /* empty: only a point in time */
  std::vector<emu_work> after;
  bool done = false, wanted = false;
  double seconds = 0; /* when it was done */
};

struct emu_graph_node {
  std::function<void()> run;
  std::vector<size_t> after;
};
typedef std::vector<emu_graph_node> emu_nodes;

struct emu_capture {
  emu_nodes nodes;
  emu_stream *origin;
  cudaStreamCaptureMode mode;
  bool spoiled = false, ended = false;
};

struct emu_stream {
  unsigned flags = 0;
  int device = -1; /* the one it was made on; -1: the default stream, which every device has */
  emu_work last;
  std::shared_ptr<emu_capture> capture;
  std::vector<size_t> tails; /* nodes of the capture that come before what is added next */
};

struct emu_event {
  unsigned flags = 0;
  int device = 0;
  emu_work work; /* the point recorded last */
  std::shared_ptr<emu_capture> capture;
  std::vector<size_t> tails;
};

/* NULL if there is no such stream or event (any more). */
emu_stream *emu_find_stream(cudaStream_t handle);
emu_event *emu_find_event(cudaEvent_t event);
const std::set<emu_stream *> &emu_streams(void);

emu_work emu_enqueue(emu_stream *stream, std::function<void()> action, std::vector<emu_work> after);

cudaError_t emu_capture_add(emu_stream *stream, std::function<void()> action);
/* Where the stream or the event is part of a capture. */
cudaError_t emu_capture_wait(emu_stream *stream, emu_event *event);

#endif
