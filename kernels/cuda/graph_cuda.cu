/* graph_cuda.cu: iterations recorded once and replayed.
 *
 * A graph holds an even number of iterations, since x and x_previous change places in each; there
 * is one for either order of the two. The rule, the step size and the momentum stand in device
 * memory, so a graph lasts as long as the arrays stay where they are.
 *
 * A look (item/state.h) ends the iterations by a flag in device memory: kernels that find it set do
 * nothing. The host reads the flag behind: TL_BEHIND graphs are queued, and before another one
 * follows the copy of the flag made after the first of them is waited for. So the device always
 * has work, and at most TL_BEHIND graphs are queued in vain. */
#include "kernels/cuda/engine_cuda.cuh"

namespace {

/* Iterations in a graph: long ones for the bulk, short ones for the rest but one. */
const int32_t lengths[2] = {10, 2};

/* Graphs that so many iterations take. */
int32_t graphs_for(int32_t count) {
  return count / lengths[0] + count % lengths[0] / lengths[1];
}

/* Those of one iteration. */
talus_status kernels_load(tl_cuda_engine *engine, tl_cuda_issue issue) {
  const tl_cuda_work before = engine->work;
  engine->loads = true;
  const talus_status status = issue(engine);
  engine->loads = false;
  engine->work = before;
  return status;
}

/* Runs issue on the recorder; what was recorded is *graph. A failed recording ends as well. */
talus_status graph_record(tl_cuda_engine *engine, tl_cuda_issue issue, int32_t count,
                          cudaGraph_t *graph) {
  tl_cuda_device *const device = engine->device;
  *graph = NULL;
  const tl_cuda_work before = engine->work;
  TL_TRY(kernels_load(engine, issue));
  TL_CUDA_TRY(device, cudaStreamBeginCapture(device->recorder, cudaStreamCaptureModeThreadLocal));
  engine->target = device->recorder;
  talus_status status = TALUS_OK;
  for (int32_t i = 0; i < count && status == TALUS_OK; i++) {
    status = issue(engine);
  }
  engine->target = device->stream;
  engine->work = before;
  const cudaError_t error = cudaStreamEndCapture(device->recorder, graph);
  if (status != TALUS_OK) { /* the cause, not its consequence */
    (void)cudaGetLastError();
    return status;
  }
  return tl_cuda_check(device, error, "cudaStreamEndCapture", __func__);
}

talus_status graph_make(tl_cuda_engine *engine, tl_cuda_issue issue, int32_t count,
                        cudaGraphExec_t *result) {
  tl_cuda_device *const device = engine->device;
  cudaGraph_t graph;
  cudaGraphExec_t made = NULL;
  device->context->counts.recordings++;
  talus_status status = graph_record(engine, issue, count, &graph);
  if (status == TALUS_OK) {
    status = tl_cuda_check(device, cudaGraphInstantiate(&made, graph, 0), "cudaGraphInstantiate",
                           __func__);
  }
  if (graph != NULL) {
    const talus_status freed =
        tl_cuda_check(device, cudaGraphDestroy(graph), "cudaGraphDestroy", __func__);
    status = status == TALUS_OK ? freed : status;
  }
  *result = made;
  return status;
}

/* Queues a copy of the scalars as they will be. */
talus_status flag_send(tl_cuda_engine *engine, int32_t number) {
  tl_cuda_device *const device = engine->device;
  TL_TRY(tl_cuda_copy(device, &engine->result[1 + number % TL_BEHIND], engine->work.control,
                      TL_CONTROL_READ, cudaMemcpyDeviceToHost));
  TL_CUDA_TRY(device, cudaEventRecord(engine->seen[number % TL_BEHIND], device->stream));
  return TALUS_OK;
}

talus_status flag_read(tl_cuda_engine *engine, int32_t number, bool *stopped) {
  TL_TRY(tl_cuda_event_wait(engine->device, engine->seen[number % TL_BEHIND]));
  *stopped = engine->result[1 + number % TL_BEHIND].state.stopped != 0;
  return TALUS_OK;
}

} // namespace

talus_status tl_cuda_iterate(tl_cuda_engine *engine, int which, tl_cuda_issue issue,
                             const tl_rule *rule, int32_t count, bool *stopped) {
  tl_cuda_device *const device = engine->device;
  *stopped = false;
  int32_t launched = 0;
  for (int size = 0; size < 2; size++) {
    for (; count >= lengths[size]; count -= lengths[size]) {
      if (rule->look > 0 && launched >= TL_BEHIND) {
        TL_TRY(flag_read(engine, launched, stopped));
        if (*stopped) {
          return TALUS_OK;
        }
      }
      const int swapped = engine->work.view.x != (tl_real *)engine->impulse.memory;
      cudaGraphExec_t *const graph = &engine->graph[which][swapped][size];
      if (*graph == NULL) {
        TL_TRY(graph_make(engine, issue, lengths[size], graph));
      }
      device->context->counts.graphs++;
      TL_CUDA_TRY(device, cudaGraphLaunch(*graph, device->stream));
      if (rule->look > 0 && graphs_for(count - lengths[size]) >= TL_BEHIND) {
        TL_TRY(flag_send(engine, launched));
      }
      launched++;
    }
  }
  for (; count > 0; count--) {
    TL_TRY(issue(engine));
  }
  return TALUS_OK;
}

void tl_cuda_graphs_drop(tl_cuda_engine *engine) {
  for (int i = 0; i < TL_GRAPH_COUNT * 4; i++) {
    cudaGraphExec_t *const graph = &engine->graph[i / 4][i / 2 % 2][i % 2];
    if (*graph != NULL && cudaGraphExecDestroy(*graph) != cudaSuccess) {
      (void)cudaGetLastError();
      tl_log(engine->context, TALUS_LOG_WARNING, "cuda: a graph could not be released");
    }
    *graph = NULL;
  }
}
