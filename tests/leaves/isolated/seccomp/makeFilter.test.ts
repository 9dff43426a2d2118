import { expect, test } from "@effect/vitest"
import { type FilterArchitecture, makeFilter } from "../../../../src/leaves/isolated/seccomp/makeFilter.ts"
import { checkedCalls, refusedCalls } from "../../../../src/leaves/isolated/seccomp/refusedCalls.ts"
import { runBpf } from "../../../support/runBpf.ts"

const auditArchitecture = { x64: 0xc000_003e, arm64: 0xc000_00b7 } as const
const [i386, allow, kill] = [0x4000_0003, 0x7fff_0000, 0x8000_0000]
const fails = (errno: number): number => 0x0005_0000 + errno
const [eperm, enosys, eprotonosupport, eafnosupport] = [fails(1), fails(38), fails(93), fails(97)]

const architectures = ["x64", "arm64"] as const

const decide = (architecture: FilterArchitecture, number: number, ...args: ReadonlyArray<number | bigint>): number =>
  runBpf(makeFilter(architecture), {
    number,
    architecture: auditArchitecture[architecture],
    args: args.map(BigInt),
  })

const ask = (
  architecture: FilterArchitecture,
  name: keyof typeof checkedCalls,
  ...args: ReadonlyArray<number | bigint>
) => decide(architecture, checkedCalls[name][architecture === "x64" ? 0 : 1] ?? -1, ...args)

test.each(architectures)("refuses exactly the listed calls of %s, of all numbers", (architecture) => {
  const at = architecture === "x64" ? 0 : 1
  const refused = new Set(Object.values(refusedCalls).map((numbers) => numbers[at]))
  const checked = new Set(Object.values(checkedCalls).map((numbers) => numbers[at]))
  const filter = makeFilter(architecture)
  for (let number = 0; number < 1_024; number++) {
    if (checked.has(number)) continue
    const answer = runBpf(filter, { number, architecture: auditArchitecture[architecture] })
    expect([number, answer]).toEqual([number, refused.has(number) ? eperm : allow])
  }
  expect(refused.size).toBeGreaterThan(40)
})

test.each(architectures)("kills a process that makes a call of another architecture than %s", (architecture) => {
  const filter = makeFilter(architecture)
  const other = architecture === "x64" ? "arm64" : "x64"
  for (const wrong of [i386, auditArchitecture[other], 0, 0xffff_ffff]) {
    for (const number of [0, 1, 26, 101]) expect(runBpf(filter, { number, architecture: wrong })).toBe(kill)
  }
})

test("kills a process that makes a call of x32, which has the architecture of x86-64", () => {
  for (const number of [0, 101, 165, 520, 0x3fff_ffff]) expect(decide("x64", 0x4000_0000 + number)).toBe(kill)
})

test.each(architectures)("allows clone and unshare on %s only without new namespaces", (architecture) => {
  // A thread of glibc, a fork, a vfork.
  for (const flags of [0x3d_0f00, 0x0120_0011, 0x4111]) expect(ask(architecture, "clone", flags)).toBe(allow)
  for (const flags of [0, 0x200, 0x400]) expect(ask(architecture, "unshare", flags)).toBe(allow)
  const namespaces = [0x2_0000, 0x200_0000, 0x400_0000, 0x800_0000, 0x1000_0000, 0x2000_0000, 0x4000_0000]
  for (const flag of namespaces) {
    for (const name of ["clone", "unshare"] as const) {
      expect(ask(architecture, name, flag)).toBe(eperm)
      // The kernel does not look at the upper half.
      expect(ask(architecture, name, BigInt(flag | 0x11) + (1n << 40n))).toBe(eperm)
    }
  }
  expect(ask(architecture, "unshare", 0x80)).toBe(eperm)
  expect(ask(architecture, "clone3", 0)).toBe(enosys)
})

test.each(architectures)("allows ioctl on %s but to type into a terminal", (architecture) => {
  for (const request of [0x5401, 0x5410, 0x5413, 0x5411]) expect(ask(architecture, "ioctl", 0, request)).toBe(allow)
  for (const request of [0x5412, 0x541c]) {
    expect(ask(architecture, "ioctl", 0, request)).toBe(eperm)
    // CVE-2019-7303: the kernel compares 32 bits.
    expect(ask(architecture, "ioctl", 0, BigInt(request) + (1n << 32n))).toBe(eperm)
  }
})

test.each(architectures)("allows on %s sockets of the network of its own, and no others", (architecture) => {
  const [unix, inet, inet6, netlink] = [1, 2, 10, 16]
  for (const family of [unix, inet, inet6]) expect(ask(architecture, "socket", family, 1, 0)).toBe(allow)
  expect(ask(architecture, "socket", netlink, 3, 0)).toBe(allow)
  for (const protocol of [4, 9, 12, 15, 16]) {
    expect(ask(architecture, "socket", netlink, 3, protocol)).toBe(eprotonosupport)
  }
  for (let family = 0; family < 64; family++) {
    if ([unix, inet, inet6, netlink].includes(family)) continue
    expect([family, ask(architecture, "socket", family, 1, 0)]).toEqual([family, eafnosupport])
  }
  expect(ask(architecture, "socketpair", unix, 1, 0)).toBe(allow)
  expect(ask(architecture, "socketpair", 30, 1, 0)).toBe(eafnosupport)
})

test.each(architectures)("allows on %s no personality that takes protections away", (architecture) => {
  for (const persona of [0, 8, 0x2_0000, 0xffff_ffff]) expect(ask(architecture, "personality", persona)).toBe(allow)
  for (const persona of [0x004_0000, 0x0040_0000, 0x010_0000]) {
    expect(ask(architecture, "personality", persona)).toBe(eperm)
  }
})

test.each(architectures)("refuses the mode of a setuid file on %s, in each call that takes one", (architecture) => {
  const [create, write, setUserId] = [0o101, 0o1001, 0o4755]
  const isThere = (name: keyof typeof checkedCalls): boolean =>
    architecture === "x64" || checkedCalls[name][1] !== undefined
  for (const name of ["chmod", "fchmod", "creat", "mknod"] as const) {
    if (!isThere(name)) continue
    expect([name, ask(architecture, name, 3, setUserId)]).toEqual([name, eperm])
    expect([name, ask(architecture, name, 3, 0o2777)]).toEqual([name, allow])
  }
  for (const name of ["fchmodat", "fchmodat2", "mknodat"] as const) {
    expect([name, ask(architecture, name, -100n & 0xffff_ffffn, 1, setUserId)]).toEqual([name, eperm])
    expect([name, ask(architecture, name, setUserId, setUserId, 0o755)]).toEqual([name, allow])
  }
  expect(ask(architecture, "openat", 5, 1, create, setUserId)).toBe(eperm)
  expect(ask(architecture, "openat", 5, 1, 0o20200002, setUserId)).toBe(eperm)
  // Without a file to create the mode is whatever the register has.
  expect(ask(architecture, "openat", 5, 1, write, setUserId)).toBe(allow)
  expect(ask(architecture, "openat", 5, 1, create, 0o666)).toBe(allow)
  if (isThere("open")) expect(ask(architecture, "open", 1, create, setUserId)).toBe(eperm)
  if (isThere("open")) expect(ask(architecture, "open", 1, write, setUserId)).toBe(allow)
  expect(ask(architecture, "openat2", 5, 1)).toBe(enosys)
})
