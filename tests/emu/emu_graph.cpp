/* emu_graph.cpp: stream capture and graphs.
 *
 * A graph is what was captured, in that order; its dependencies serve only to find streams that
 * were forked into the capture and never joined again. A call that CUDA forbids during a capture
 * spoils it, and everything up to its end then says so. */
#include "emu_stream.h"

struct emu_graph {
  std::shared_ptr<const emu_nodes> nodes;
};
struct emu_graph_exec {
  std::shared_ptr<const emu_nodes> nodes;
  emu_work last; /* launches of one graph follow each other, whatever their streams */
};

bool emu_is_capturing(cudaStream_t handle) {
  const emu_stream *stream = emu_find_stream(handle);
  return stream && stream->capture;
}

cudaError_t emu_spoil_capture(cudaStream_t handle) {
  emu_find_stream(handle)->capture->spoiled = true;
  return emu_fail(cudaErrorStreamCaptureUnsupported);
}

cudaError_t emu_refuse_capture(void) {
  bool forbidden = false;
  for (emu_stream *stream : emu_streams()) {
    if (stream->capture && stream->capture->mode != cudaStreamCaptureModeRelaxed) {
      stream->capture->spoiled = forbidden = true;
    }
  }
  return forbidden ? emu_fail(cudaErrorStreamCaptureUnsupported) : cudaSuccess;
}

cudaError_t emu_capture_add(emu_stream *stream, std::function<void()> action) {
  emu_capture *capture = stream->capture.get();
  if (capture->spoiled) {
    return emu_fail(cudaErrorStreamCaptureInvalidated);
  }
  capture->nodes.push_back({std::move(action), stream->tails});
  stream->tails = {capture->nodes.size() - 1};
  return cudaSuccess;
}

cudaError_t emu_capture_wait(emu_stream *stream, emu_event *event) {
  if (!event->capture) { /* work outside cannot be waited for by a graph */
    if (!event->work) {
      return cudaSuccess;
    }
    stream->capture->spoiled = true;
    return emu_fail(cudaErrorStreamCaptureIsolation);
  }
  if (event->capture->ended) {
    return emu_fail(cudaErrorCapturedEvent);
  }
  if (stream->capture && stream->capture != event->capture) {
    stream->capture->spoiled = event->capture->spoiled = true;
    return emu_fail(cudaErrorStreamCaptureMerge);
  }
  if (stream == emu_find_stream(nullptr)) {
    event->capture->spoiled = true;
    return emu_fail(cudaErrorStreamCaptureImplicit);
  }
  if (!stream->capture) { /* forked into the capture */
    stream->capture = event->capture;
    stream->tails.clear();
  }
  stream->tails.insert(stream->tails.end(), event->tails.begin(), event->tails.end());
  return cudaSuccess;
}

cudaError_t cudaStreamIsCapturing(cudaStream_t handle, cudaStreamCaptureStatus *status) {
  EMU_ENTER;
  const emu_stream *stream = emu_find_stream(handle);
  if (!stream || !status) {
    return emu_fail(stream ? cudaErrorInvalidValue : cudaErrorInvalidResourceHandle);
  }
  *status = !stream->capture           ? cudaStreamCaptureStatusNone
            : stream->capture->spoiled ? cudaStreamCaptureStatusInvalidated
                                       : cudaStreamCaptureStatusActive;
  return cudaSuccess;
}

cudaError_t cudaStreamBeginCapture(cudaStream_t handle, cudaStreamCaptureMode mode) {
  EMU_ENTER;
  emu_stream *stream = emu_find_stream(handle);
  if (!stream) {
    return emu_fail(cudaErrorInvalidResourceHandle);
  }
  if (!handle) {
    return emu_fail(cudaErrorStreamCaptureUnsupported);
  }
  if (stream->capture) {
    return emu_fail(cudaErrorIllegalState);
  }
  stream->capture = std::make_shared<emu_capture>();
  stream->capture->origin = stream;
  stream->capture->mode = mode;
  stream->tails.clear();
  return cudaSuccess;
}

/* Whether the end of every stream of the capture comes before the end of its origin. */
static bool is_joined(const emu_capture *capture) {
  std::vector<bool> before(capture->nodes.size());
  for (size_t node : capture->origin->tails) {
    before[node] = true;
  }
  for (size_t node = capture->nodes.size(); node-- > 0;) {
    for (size_t earlier : capture->nodes[node].after) {
      before[earlier] = before[earlier] || before[node];
    }
  }
  for (const emu_stream *stream : emu_streams()) {
    for (size_t node : stream->capture.get() == capture ? stream->tails : std::vector<size_t>()) {
      if (!before[node]) {
        return false;
      }
    }
  }
  return true;
}

cudaError_t cudaStreamEndCapture(cudaStream_t handle, cudaGraph_t *graph) {
  EMU_ENTER;
  emu_stream *stream = emu_find_stream(handle);
  if (!stream || !graph) {
    return emu_fail(stream ? cudaErrorInvalidValue : cudaErrorInvalidResourceHandle);
  }
  *graph = nullptr;
  const std::shared_ptr<emu_capture> capture = stream->capture;
  if (!capture) {
    return emu_fail(cudaErrorIllegalState);
  }
  if (capture->origin != stream) {
    capture->spoiled = true;
    return emu_fail(cudaErrorStreamCaptureUnmatched);
  }
  const bool joined = is_joined(capture.get());
  capture->ended = true;
  for (emu_stream *other : emu_streams()) {
    if (other->capture == capture) {
      other->capture = nullptr;
      other->tails.clear();
    }
  }
  if (capture->spoiled || !joined) {
    return emu_fail(capture->spoiled ? cudaErrorStreamCaptureInvalidated
                                     : cudaErrorStreamCaptureUnjoined);
  }
  *graph = new emu_graph{std::make_shared<const emu_nodes>(std::move(capture->nodes))};
  return cudaSuccess;
}

cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *count) {
  EMU_ENTER;
  if (!graph || !count) {
    return emu_fail(cudaErrorInvalidValue);
  }
  const size_t there = graph->nodes->size();
  for (size_t n = 0; nodes && n < *count; n++) {
    nodes[n] = n < there ? const_cast<cudaGraphNode_t>(&(*graph->nodes)[n]) : nullptr;
  }
  *count = nodes && *count < there ? *count : there;
  return cudaSuccess;
}

long emu_graphs, emu_graph_launches;

cudaError_t cudaGraphInstantiate(cudaGraphExec_t *exec, cudaGraph_t graph, unsigned long long) {
  emu_graphs++;
  EMU_ENTER;
  if (!exec || !graph) {
    return emu_fail(cudaErrorInvalidValue);
  }
  *exec = new emu_graph_exec{graph->nodes, nullptr};
  return cudaSuccess;
}

cudaError_t cudaGraphLaunch(cudaGraphExec_t exec, cudaStream_t handle) {
  EMU_ENTER;
  emu_stream *stream = emu_find_stream(handle);
  if (!exec || !stream) {
    return emu_fail(exec ? cudaErrorInvalidResourceHandle : cudaErrorInvalidValue);
  }
  emu_graph_launches++;
  const std::shared_ptr<const emu_nodes> nodes = exec->nodes;
  const auto replay = [nodes] {
    for (const emu_graph_node &node : *nodes) {
      if (!emu_is_broken()) {
        node.run();
      }
    }
  };
  if (stream->capture) { /* a graph within a graph */
    return emu_capture_add(stream, replay);
  }
  exec->last = emu_enqueue(stream, replay, {exec->last});
  return cudaSuccess;
}

/* Both let go even if the device is lost: whoever looks for leaks should find none of ours. */
cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
  emu_lock lock(emu_mutex);
  delete graph;
  return emu_enter();
}

cudaError_t cudaGraphExecDestroy(cudaGraphExec_t exec) {
  emu_lock lock(emu_mutex);
  delete exec;
  return emu_enter();
}
