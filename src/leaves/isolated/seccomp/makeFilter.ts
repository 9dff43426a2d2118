/**
 * Makes the filter of system calls of isolated commands, as a BPF program for seccomp(2) on x86-64 and arm64.
 *
 * A system call of another architecture (i386, x32) kills the process: its numbers mean other calls. The filter is a
 * denylist, because an allowlist breaks programs with every new kernel; the walls do not depend on the filter.
 *
 * Source: seccomp(2), Linux `Documentation/userspace-api/seccomp_filter.rst`.
 */
import { type CallNumbers, checkedCalls, refusedCalls } from "./refusedCalls.ts"

export type FilterArchitecture = "x64" | "arm64"

interface Instruction {
  readonly code: number
  readonly jt: number
  readonly jf: number
  readonly k: number
}

/** AUDIT_ARCH_X86_64 and AUDIT_ARCH_AARCH64 of linux/audit.h. */
const auditArchitectures: Readonly<Record<FilterArchitecture, number>> = { x64: 0xc000_003e, arm64: 0xc000_00b7 }

/** Bit of the numbers of x32 (`__X32_SYSCALL_BIT`). */
const x32Bit = 0x4000_0000

const allow = 0x7fff_0000
const killProcess = 0x8000_0000
const failWith = (errno: number): number => 0x0005_0000 | errno

const errnos = { EPERM: 1, ENOSYS: 38, EPROTONOSUPPORT: 93, EAFNOSUPPORT: 97 } as const

/** Offsets in `struct seccomp_data`; arguments have 64 bits, the low half first. */
const numberAt = 0
const architectureAt = 4
const argumentAt = (index: number): number => 16 + 8 * index

const load = (k: number): Instruction => ({ code: 0x20, jt: 0, jf: 0, k })
const give = (k: number): Instruction => ({ code: 0x06, jt: 0, jf: 0, k })
/** Jumps over `jt` or `jf` instructions. */
const isEqual = (k: number, jt: number, jf: number): Instruction => ({ code: 0x15, jt, jf, k })
const isAtLeast = (k: number, jt: number, jf: number): Instruction => ({ code: 0x35, jt, jf, k })
const hasBits = (k: number, jt: number, jf: number): Instruction => ({ code: 0x45, jt, jf, k })

/** The namespaces that clone(2) and unshare(2) can make; the last one, of time, only unshare(2). */
const cloneNamespaces = 0x7e02_0000
const unshareNamespaces = cloneNamespaces | 0x80

const families = { unix: 1, inet: 2, inet6: 10, netlink: 16 } as const
const netlinkRoute = 0

/** TIOCSTI types into a terminal; TIOCLINUX pastes into a console. The kernel reads 32 bits of the request. */
const terminalRequests = [0x5412, 0x541c]

/** Personalities that weaken no protection, and the value that only queries. */
const personalities = [0, 0x0008, 0x0002_0000, 0x0002_0008, 0xffff_ffff]

/** Returns `found` if the accumulator is one of the values, `otherwise` if not. */
const choose = (values: ReadonlyArray<number>, found: number, otherwise: number): ReadonlyArray<Instruction> => [
  ...values.map((value, index) => isEqual(value, values.length - index, 0)),
  give(otherwise),
  give(found),
]

const refuse = give(failWith(errnos.EPERM))

/** S_ISUID, and the flags O_CREAT and __O_TMPFILE, with which open(2) takes a mode. */
const setUserId = 0o4000
const createFlags = 0o100 | 0o20000000

/** Refuses the mode of a setuid file: to other users of the host it would be a program with the rights of this one. */
const refuseSetUserId = (modeAt: number): ReadonlyArray<Instruction> => [
  load(argumentAt(modeAt)),
  hasBits(setUserId, 0, 1),
  refuse,
  give(allow),
]
const refuseSetUserIdIfCreated = (flagsAt: number): ReadonlyArray<Instruction> => [
  load(argumentAt(flagsAt)),
  hasBits(createFlags, 1, 0),
  give(allow),
  ...refuseSetUserId(flagsAt + 1),
]

const checks: ReadonlyArray<readonly [CallNumbers, ReadonlyArray<Instruction>]> = [
  [checkedCalls.clone, [load(argumentAt(0)), hasBits(cloneNamespaces, 0, 1), refuse, give(allow)]],
  [checkedCalls.unshare, [load(argumentAt(0)), hasBits(unshareNamespaces, 0, 1), refuse, give(allow)]],
  // Its flags are in memory, which a filter cannot read. C libraries then use clone(2).
  [checkedCalls.clone3, [give(failWith(errnos.ENOSYS))]],
  // The same for its mode. Callers fall back to openat(2).
  [checkedCalls.openat2, [give(failWith(errnos.ENOSYS))]],
  [checkedCalls.open, refuseSetUserIdIfCreated(1)],
  [checkedCalls.openat, refuseSetUserIdIfCreated(2)],
  [checkedCalls.creat, refuseSetUserId(1)],
  [checkedCalls.mknod, refuseSetUserId(1)],
  [checkedCalls.mknodat, refuseSetUserId(2)],
  [checkedCalls.chmod, refuseSetUserId(1)],
  [checkedCalls.fchmod, refuseSetUserId(1)],
  [checkedCalls.fchmodat, refuseSetUserId(2)],
  [checkedCalls.fchmodat2, refuseSetUserId(2)],
  [checkedCalls.ioctl, [load(argumentAt(1)), ...choose(terminalRequests, failWith(errnos.EPERM), allow)]],
  [checkedCalls.personality, [load(argumentAt(0)), ...choose(personalities, allow, failWith(errnos.EPERM))]],
  [checkedCalls.socketpair, [load(argumentAt(0)), ...choose([families.unix], allow, failWith(errnos.EAFNOSUPPORT))]],
  [checkedCalls.socket, [
    load(argumentAt(0)),
    isEqual(families.netlink, 0, 4),
    load(argumentAt(2)),
    isEqual(netlinkRoute, 0, 1),
    give(allow),
    give(failWith(errnos.EPROTONOSUPPORT)),
    // AF_VSOCK reaches the host of a virtual machine, whatever the network namespace is.
    ...choose([families.unix, families.inet, families.inet6], allow, failWith(errnos.EAFNOSUPPORT)),
  ]],
]

const instructionsFor = (architecture: FilterArchitecture): ReadonlyArray<Instruction> => {
  const at = architecture === "x64" ? 0 : 1
  const number = (numbers: CallNumbers): number | undefined => numbers[at]
  const guarded = (numbers: CallNumbers, body: ReadonlyArray<Instruction>): ReadonlyArray<Instruction> => {
    const own = number(numbers)
    return own === undefined ? [] : [isEqual(own, 0, body.length), ...body]
  }
  return [
    load(architectureAt),
    isEqual(auditArchitectures[architecture], 1, 0),
    give(killProcess),
    load(numberAt),
    ...(architecture === "x64" ? [isAtLeast(x32Bit, 0, 1), give(killProcess)] : []),
    ...checks.flatMap(([numbers, body]) => guarded(numbers, body)),
    ...Object.values(refusedCalls).flatMap((numbers) => guarded(numbers, [refuse])),
    give(allow),
  ]
}

/** Makes the filter as bytes: `struct sock_filter` by `struct sock_filter`, in the byte order of both architectures. */
export const makeFilter = (architecture: FilterArchitecture): Uint8Array => {
  const instructions = instructionsFor(architecture)
  const bytes = new Uint8Array(8 * instructions.length)
  const view = new DataView(bytes.buffer)
  for (const [index, { code, jf, jt, k }] of instructions.entries()) {
    view.setUint16(8 * index, code, true)
    view.setUint8(8 * index + 2, jt)
    view.setUint8(8 * index + 3, jf)
    view.setUint32(8 * index + 4, k, true)
  }
  return bytes
}

/** Whether there is a filter for an architecture, as the runtime names it. */
export const hasFilter = (architecture: string): architecture is FilterArchitecture =>
  architecture === "x64" || architecture === "arm64"
