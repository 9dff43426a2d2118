/**
 * Lists the system calls that no isolated command may make, with their numbers on x86-64 and on arm64.
 *
 * Most fail without privileges anyway. They are refused because each opens a large part of the kernel, where a defect is a way
 * out, or reaches other processes.
 *
 * Source: Linux `arch/x86/entry/syscalls/syscall_64.tbl`, `include/uapi/asm-generic/unistd.h`.
 */

/** A system call: its number on x86-64, and on arm64 if it exists there. */
export type CallNumbers = readonly [x64: number, arm64: number | undefined]

type CheckedCall =
  | ("clone" | "clone3" | "unshare" | "ioctl" | "socket" | "socketpair" | "personality")
  | ("open" | "openat" | "openat2" | "creat" | "mknod" | "mknodat")
  | ("chmod" | "fchmod" | "fchmodat" | "fchmodat2")

/** System calls that fail with EPERM whatever their arguments are. */
export const refusedCalls: Readonly<Record<string, CallNumbers>> = {
  // Other processes.
  ptrace: [101, 117],
  process_vm_readv: [310, 270],
  process_vm_writev: [311, 271],
  process_madvise: [440, 440],
  pidfd_getfd: [438, 438],
  kcmp: [312, 272],
  move_pages: [279, 239],
  migrate_pages: [256, 238],
  // Mounts and namespaces.
  mount: [165, 40],
  umount2: [166, 39],
  pivot_root: [155, 41],
  chroot: [161, 51],
  move_mount: [429, 429],
  open_tree: [428, 428],
  open_tree_attr: [467, 467],
  fsopen: [430, 430],
  fsconfig: [431, 431],
  fsmount: [432, 432],
  fspick: [433, 433],
  mount_setattr: [442, 442],
  setns: [308, 268],
  open_by_handle_at: [304, 265],
  // Programs and rings in the kernel.
  bpf: [321, 280],
  perf_event_open: [298, 241],
  userfaultfd: [323, 282],
  fanotify_init: [300, 262],
  io_uring_setup: [425, 425],
  io_uring_enter: [426, 426],
  io_uring_register: [427, 427],
  // Keyrings.
  add_key: [248, 217],
  request_key: [249, 218],
  keyctl: [250, 219],
  // The machine.
  kexec_load: [246, 104],
  kexec_file_load: [320, 294],
  init_module: [175, 105],
  finit_module: [313, 273],
  delete_module: [176, 106],
  create_module: [174, undefined],
  get_kernel_syms: [177, undefined],
  query_module: [178, undefined],
  swapon: [167, 224],
  swapoff: [168, 225],
  reboot: [169, 142],
  acct: [163, 89],
  quotactl: [179, 60],
  quotactl_fd: [443, 443],
  syslog: [103, 116],
  vhangup: [153, 58],
  settimeofday: [164, 170],
  clock_settime: [227, 112],
  clock_adjtime: [305, 266],
  iopl: [172, undefined],
  ioperm: [173, undefined],
  modify_ldt: [154, undefined],
  uselib: [134, undefined],
  ustat: [136, undefined],
  sysfs: [139, undefined],
  _sysctl: [156, undefined],
  lookup_dcookie: [212, 18],
  nfsservctl: [180, 42],
}

/** System calls whose arguments decide. */
export const checkedCalls: Readonly<Record<CheckedCall, CallNumbers>> = {
  clone: [56, 220],
  clone3: [435, 435],
  unshare: [272, 97],
  ioctl: [16, 29],
  socket: [41, 198],
  socketpair: [53, 199],
  personality: [135, 92],
  open: [2, undefined],
  openat: [257, 56],
  openat2: [437, 437],
  creat: [85, undefined],
  mknod: [133, undefined],
  mknodat: [259, 33],
  chmod: [90, undefined],
  fchmod: [91, 52],
  fchmodat: [268, 53],
  fchmodat2: [452, 452],
}
