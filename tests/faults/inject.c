/* inject.c: runs a program and lets one of its calls to the file system go wrong.
 *
 *   inject KIND AT COMMAND...
 *
 * Counted from 1 are calls that change files: writes (not to 0, 1, 2), files made, renamed, cut,
 * deleted or synced. KIND says what happens to call number AT:
 *   count      nothing; the last line printed is the number of calls
 *   enospc eio the call fails once
 *   full       this and all later calls that need room fail: a disk that is full
 *   short      a write takes half of its bytes
 *   kill       the program is killed before the call
 *   torn       the program is killed after half of the bytes of a write (before other calls)
 * The exit code is that of the program, 128 + the signal that ended it, or 77 where the system does
 * not let one program watch another (Linux 5.8, seccomp).
 *
 * A seccomp filter stops the calls and asks this program, so that the calls of stdio, which no
 * preloaded library sees, are caught too. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SKIPPED = 77, USAGE = 2, LARGEST = 1 << 26 };

/* Which calls are stopped: all, those that make a file, those on other descriptors than 0, 1, 2. */
typedef enum rule { ALL, CREATES, WRITES } rule;

/* room: whether the call needs space on the disk */
static const struct {
  int number;
  rule rule;
  int room;
  const char *name;
} calls[] = {
    {__NR_write, WRITES, 1, "write"},      {__NR_pwrite64, WRITES, 1, "pwrite"},
    {__NR_writev, WRITES, 1, "writev"},    {__NR_openat, CREATES, 1, "openat"},
    {__NR_fsync, ALL, 0, "fsync"},         {__NR_fdatasync, ALL, 0, "fdatasync"},
    {__NR_syncfs, ALL, 0, "syncfs"},       {__NR_ftruncate, ALL, 0, "ftruncate"},
    {__NR_renameat2, ALL, 0, "renameat2"}, {__NR_mkdirat, ALL, 1, "mkdirat"},
    {__NR_unlinkat, ALL, 0, "unlinkat"},
#ifdef __NR_rename
    {__NR_rename, ALL, 0, "rename"},       {__NR_mkdir, ALL, 1, "mkdir"},
    {__NR_unlink, ALL, 0, "unlink"},
#endif
#ifdef __NR_renameat
    {__NR_renameat, ALL, 0, "renameat"},
#endif
};
enum { CALLS = sizeof calls / sizeof calls[0] };

static int find_call(int number) {
  for (int k = 0; k < CALLS; k++) {
    if (calls[k].number == number) {
      return k;
    }
  }
  return -1;
}

/* ---- the program that is watched ------------------------------------------------------------- */

static uint32_t low_half(int argument) {
  const int big_endian = *(const uint16_t *)"\0\1" == 1;
  return (uint32_t)(offsetof(struct seccomp_data, args) + 8 * (size_t)argument +
                    (big_endian ? 4 : 0));
}

/* Four instructions per call: is it the number, load an argument, look at it, ask. */
static int install_filter(void) {
  struct sock_filter code[5 * CALLS + 2];
  int n = 0;
  for (int k = 0; k < CALLS; k++) {
    const struct sock_filter load_number =
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr));
    const struct sock_filter is_number =
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)calls[k].number, 0, 3);
    const struct sock_filter load_argument =
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, low_half(calls[k].rule == CREATES ? 2 : 0));
    const struct sock_filter creates = BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, O_CREAT, 0, 1);
    const struct sock_filter is_file = BPF_JUMP(BPF_JMP | BPF_JGT | BPF_K, 2, 0, 1);
    const struct sock_filter always = BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, 0, 0, 1);
    const struct sock_filter ask = BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_USER_NOTIF);
    code[n++] = load_number;
    code[n++] = is_number;
    code[n++] = load_argument;
    code[n++] = calls[k].rule == CREATES ? creates : calls[k].rule == WRITES ? is_file : always;
    code[n++] = ask;
  }
  const struct sock_filter allow = BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
  code[n++] = allow;
  const struct sock_fprog program = {(unsigned short)n, code};
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) {
    return -1;
  }
  return (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_NEW_LISTENER,
                      &program);
}

static void send_descriptor(int to, int descriptor) {
  char byte = 0;
  union {
    struct cmsghdr head;
    char room[CMSG_SPACE(sizeof(int))];
  } control;
  struct iovec part = {&byte, 1};
  struct msghdr message = {.msg_iov = &part,
                           .msg_iovlen = 1,
                           .msg_control = &control,
                           .msg_controllen = sizeof control.room};
  control.head.cmsg_level = SOL_SOCKET;
  control.head.cmsg_type = SCM_RIGHTS;
  control.head.cmsg_len = CMSG_LEN(sizeof(int));
  memcpy(CMSG_DATA(&control.head), &descriptor, sizeof descriptor);
  sendmsg(to, &message, 0);
}

static int receive_descriptor(int from) {
  char byte;
  int descriptor = -1;
  union {
    struct cmsghdr head;
    char room[CMSG_SPACE(sizeof(int))];
  } control;
  struct iovec part = {&byte, 1};
  struct msghdr message = {.msg_iov = &part,
                           .msg_iovlen = 1,
                           .msg_control = &control,
                           .msg_controllen = sizeof control.room};
  if (recvmsg(from, &message, MSG_CMSG_CLOEXEC) > 0 &&
      message.msg_controllen >= CMSG_LEN(sizeof(int))) {
    memcpy(&descriptor, CMSG_DATA(&control.head), sizeof descriptor);
  }
  return descriptor;
}

static void run_command(int to, char **command) {
  const int listener = install_filter();
  if (listener < 0) {
    perror("inject: seccomp");
    _exit(SKIPPED);
  }
  send_descriptor(to, listener);
  close(listener);
  close(to);
  execvp(command[0], command);
  perror(command[0]);
  _exit(127);
}

/* ---- the one that watches -------------------------------------------------------------------- */

typedef enum kind { COUNT, ENOSPC_ONCE, EIO_ONCE, FULL, SHORT, KILL, TORN, KINDS } kind;
static const char *const kinds[KINDS] = {"count", "enospc", "eio", "full", "short", "kill", "torn"};

typedef struct watch {
  int listener, process; /* what asks, and the program as a descriptor */
  pid_t child;
  kind kind;
  long at, count;
} watch;

/* Does half of a write for the program; the bytes taken, or -1. */
static ssize_t write_half(const watch *w, const struct seccomp_data *data) {
  const size_t half = (size_t)data->args[2] / 2;
  if (data->nr == __NR_writev || half == 0 || half > LARGEST) {
    return -1;
  }
  char *bytes = malloc(half);
  const int file = (int)syscall(SYS_pidfd_getfd, w->process, (int)data->args[0], 0);
  const struct iovec here = {bytes, half}, there = {(void *)(uintptr_t)data->args[1], half};
  ssize_t took = -1;
  if (bytes != NULL && file >= 0 &&
      process_vm_readv(w->child, &here, 1, &there, 1, 0) == (ssize_t)half) {
    took = data->nr == __NR_pwrite64 ? pwrite(file, bytes, half, (off_t)data->args[3])
                                     : write(file, bytes, half);
  }
  if (file >= 0) {
    close(file);
  }
  free(bytes);
  return took;
}

/* Fills the reply; 0: there is none, the program has been killed and must not make the call. */
static int answer(watch *w, const struct seccomp_notif *asked, struct seccomp_notif_resp *reply) {
  const int call = find_call(asked->data.nr);
  const int writes = call >= 0 && calls[call].rule == WRITES;
  w->count++;
  reply->flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE;
  if (getenv("INJECT_TRACE") != NULL) {
    fprintf(stderr, "inject: %ld %s %lld\n", w->count, call >= 0 ? calls[call].name : "?",
            (long long)asked->data.args[0]);
  }
  if (w->count != w->at && !(w->kind == FULL && w->count > w->at)) {
    return 1;
  }
  ssize_t took = -1;
  switch (w->kind) {
  case ENOSPC_ONCE:
  case EIO_ONCE:
  case FULL:
    if (w->kind != FULL || calls[call].room) {
      reply->flags = 0;
      reply->error = w->kind == EIO_ONCE ? -EIO : -ENOSPC;
    }
    break;
  case SHORT:
  case TORN:
    took = writes ? write_half(w, &asked->data) : -1;
    if (w->kind == SHORT && took > 0) {
      reply->flags = 0;
      reply->val = took;
    }
    break;
  default:
    break;
  }
  if (w->kind == KILL || w->kind == TORN) {
    kill(w->child, SIGKILL);
    return 0;
  }
  return 1;
}

static void attend(watch *w) {
  struct pollfd wait[2] = {{w->listener, POLLIN, 0}, {w->process, POLLIN, 0}};
  while (poll(wait, 2, -1) >= 0 || errno == EINTR) {
    struct seccomp_notif asked;
    struct seccomp_notif_resp reply;
    if ((wait[0].revents & POLLIN) == 0) {
      if (wait[1].revents != 0 || wait[0].revents != 0) {
        break;
      }
      continue;
    }
    memset(&asked, 0, sizeof asked);
    memset(&reply, 0, sizeof reply);
    if (ioctl(w->listener, SECCOMP_IOCTL_NOTIF_RECV, &asked) != 0) {
      continue; /* the caller was killed meanwhile */
    }
    reply.id = asked.id;
    if (answer(w, &asked, &reply)) {
      ioctl(w->listener, SECCOMP_IOCTL_NOTIF_SEND, &reply);
    }
  }
}

static int parse_kind(const char *name, kind *found) {
  for (int k = 0; k < KINDS; k++) {
    if (strcmp(name, kinds[k]) == 0) {
      *found = (kind)k;
      return 1;
    }
  }
  return 0;
}

int main(int argc, char **argv) {
  watch w = {.listener = -1};
  int end[2], how = 0;
  if (argc < 4 || !parse_kind(argv[1], &w.kind)) {
    fprintf(stderr, "usage: inject count|enospc|eio|full|short|kill|torn AT COMMAND...\n");
    return USAGE;
  }
  w.at = strtol(argv[2], NULL, 10);
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, end) != 0) {
    return SKIPPED;
  }
  w.child = fork();
  if (w.child == 0) {
    close(end[0]);
    run_command(end[1], argv + 3);
  }
  close(end[1]);
  w.listener = receive_descriptor(end[0]);
  w.process = (int)syscall(SYS_pidfd_open, w.child, 0);
  if (w.listener >= 0 && w.process >= 0) {
    attend(&w);
  }
  if (w.listener >= 0) {
    close(w.listener); /* nothing may wait for an answer any more */
  }
  waitpid(w.child, &how, 0);
  if (w.process < 0) {
    return SKIPPED;
  }
  if (w.kind == COUNT) {
    printf("%ld\n", w.count);
  }
  return WIFEXITED(how) ? WEXITSTATUS(how) : 128 + WTERMSIG(how);
}
