/* checkpoint_mpi.c: what parallel HDF5 would bring to checkpoints: arrays of 36 doubles for each of
 * N bodies, in the order of ids, written by all ranks into one file, or gathered on the first rank
 * and written from its memory as Talus does. Tells seconds of each part and a hash of the files'
 * bytes. mpicc -O2 checkpoint_mpi.c -I/usr/include/hdf5/openmpi -L.../hdf5/openmpi -lhdf5 -o
 * checkpoint_mpi mpirun -n 4 ./checkpoint_mpi FOLDER 1000000 */
#include <hdf5.h>
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WIDTH = 36 };

typedef struct part {
  int rank, size;
  int64_t total, first, count; /* bodies */
  double *value;
} part;

static double now(void) {
  MPI_Barrier(MPI_COMM_WORLD);
  return MPI_Wtime();
}

static uint64_t hash_of(const unsigned char *byte, size_t count) {
  uint64_t hash = UINT64_C(0xCBF29CE484222325);
  for (size_t i = 0; i < count; i++) {
    hash = (hash ^ byte[i]) * UINT64_C(0x100000001B3);
  }
  return hash;
}

static uint64_t file_hash(const char *path, double *seconds) {
  FILE *const file = fopen(path, "rb");
  fseek(file, 0, SEEK_END);
  const size_t bytes = (size_t)ftell(file);
  unsigned char *const memory = malloc(bytes);
  rewind(file);
  const double begin = MPI_Wtime();
  const size_t got = fread(memory, 1, bytes, file);
  const uint64_t hash = hash_of(memory, got);
  *seconds = MPI_Wtime() - begin;
  fclose(file);
  free(memory);
  return hash;
}

static hid_t dataset(hid_t file, int64_t total) {
  const hsize_t size[1] = {(hsize_t)(total * WIDTH)};
  const hid_t space = H5Screate_simple(1, size, NULL), list = H5Pcreate(H5P_DATASET_CREATE);
  H5Pset_obj_track_times(list, 0);
  H5Pset_fill_time(list, H5D_FILL_TIME_NEVER);
  const hid_t set = H5Dcreate2(file, "body", H5T_IEEE_F64LE, space, H5P_DEFAULT, list, H5P_DEFAULT);
  H5Pclose(list);
  H5Sclose(space);
  return set;
}

static void write_together(const part *p, const char *path) {
  const hid_t access = H5Pcreate(H5P_FILE_ACCESS);
  H5Pset_fapl_mpio(access, MPI_COMM_WORLD, MPI_INFO_NULL);
  const hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, access);
  const hid_t set = dataset(file, p->total), all = H5Dget_space(set);
  const hsize_t first[1] = {(hsize_t)(p->first * WIDTH)}, count[1] = {(hsize_t)(p->count * WIDTH)};
  H5Sselect_hyperslab(all, H5S_SELECT_SET, first, NULL, count, NULL);
  const hid_t memory = H5Screate_simple(1, count, NULL), how = H5Pcreate(H5P_DATASET_XFER);
  H5Pset_dxpl_mpio(how, H5FD_MPIO_COLLECTIVE);
  H5Dwrite(set, H5T_NATIVE_DOUBLE, memory, all, how, p->value);
  H5Pclose(how);
  H5Sclose(memory);
  H5Sclose(all);
  H5Dclose(set);
  H5Fclose(file);
  H5Pclose(access);
}

/* gathered: seconds until the first rank has all. */
static void write_gathered(const part *p, const char *path, double *gathered) {
  double *const all = p->rank == 0 ? malloc((size_t)p->total * WIDTH * sizeof *all) : NULL;
  const double begin = now();
  if (p->rank > 0) {
    MPI_Send(p->value, (int)(p->count * WIDTH), MPI_DOUBLE, 0, 1, MPI_COMM_WORLD);
  } else {
    memcpy(all, p->value, (size_t)p->count * WIDTH * sizeof *all);
    for (int r = 1; r < p->size; r++) {
      const int64_t first = p->total * r / p->size, end = p->total * (r + 1) / p->size;
      MPI_Recv(all + first * WIDTH, (int)((end - first) * WIDTH), MPI_DOUBLE, r, 1, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
    }
  }
  *gathered = now() - begin;
  if (p->rank > 0) {
    return;
  }
  const hid_t access = H5Pcreate(H5P_FILE_ACCESS);
  H5Pset_fapl_core(access, 1 << 24, 0);
  const hid_t file = H5Fcreate("memory", H5F_ACC_TRUNC, H5P_DEFAULT, access);
  const hid_t set = dataset(file, p->total);
  H5Dwrite(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, all);
  H5Dclose(set);
  H5Fflush(file, H5F_SCOPE_GLOBAL);
  const ssize_t bytes = H5Fget_file_image(file, NULL, 0);
  void *const image = malloc((size_t)bytes);
  H5Fget_file_image(file, image, (size_t)bytes);
  H5Fclose(file);
  H5Pclose(access);
  FILE *const out = fopen(path, "wb");
  fwrite(image, 1, (size_t)bytes, out);
  fclose(out);
  free(image);
  free(all);
}

int main(int count, char **words) {
  part p;
  char path[2][1000];
  double spent[5];
  MPI_Init(&count, &words);
  MPI_Comm_rank(MPI_COMM_WORLD, &p.rank);
  MPI_Comm_size(MPI_COMM_WORLD, &p.size);
  p.total = atoll(words[2]);
  p.first = p.total * p.rank / p.size;
  p.count = p.total * (p.rank + 1) / p.size - p.first;
  p.value = malloc((size_t)p.count * WIDTH * sizeof *p.value);
  for (int64_t i = 0; i < p.count * WIDTH; i++) {
    p.value[i] = 1.0 / (double)(1 + p.first * WIDTH + i);
  }
  snprintf(path[0], sizeof path[0], "%s/together.h5", words[1]);
  snprintf(path[1], sizeof path[1], "%s/gathered.h5", words[1]);
  for (int round = 0; round < 3; round++) {
    double begin = now();
    write_together(&p, path[0]);
    spent[0] = now() - begin;
    begin = now();
    write_gathered(&p, path[1], &spent[1]);
    spent[2] = now() - begin;
    if (p.rank == 0) {
      const uint64_t a = file_hash(path[0], &spent[3]), b = file_hash(path[1], &spent[4]);
      printf(
          "%d ranks: together %.3f s; gathered %.3f s, of which gather %.3f s; hashed in %.3f s; "
          "%016llx %016llx\n",
          p.size, spent[0], spent[2], spent[1], spent[4], (unsigned long long)a,
          (unsigned long long)b);
    }
  }
  free(p.value);
  MPI_Finalize();
  return 0;
}
