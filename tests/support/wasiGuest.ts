/**
 * A WASI program without a program: tests call its imports themselves, with a memory that they fill and read. The process
 * behind it has a real file system; its clocks stand still until a test moves them.
 *
 * @module
 */
import { Errno, errnoName } from "../../src/kernel/Errno.ts"
import type { FileSystem } from "../../src/kernel/FileSystem.ts"
import { VirtualFileSystem } from "../../src/kernel/fs/VirtualFileSystem.ts"
import { FileFlag, OpenFile } from "../../src/kernel/OpenFile.ts"
import { FileType, type Stat } from "../../src/kernel/Stat.ts"
import type { Later, Subscription } from "../../src/kernel/System.ts"
import type { Memory } from "../../src/kernel/wasi/GuestMemory.ts"
import type { WasiFunctions } from "../../src/kernel/wasi/WasiFunctions.ts"
import { wasiImports } from "../../src/kernel/wasi/wasiImports.ts"
import { Descriptor, type WasiProcess } from "../../src/kernel/wasi/WasiProcess.ts"

/** What `exit`, and a signal that ends the process, throw. */
export class Ended extends Error {
  readonly exitCode: number

  constructor(exitCode: number) {
    super(`ended with ${exitCode}`)
    this.exitCode = exitCode
  }
}

/** An open file that is a queue of bytes: what is written can be read, up to a capacity. */
export class Queue extends OpenFile {
  readonly type: FileType
  readonly capacity: number
  ended = false
  bytes: Array<number> = []
  #wakers: Array<() => void> = []

  constructor(type: FileType = FileType.unknown, capacity = 8) {
    super()
    this.type = type
    this.capacity = capacity
  }

  end(): void {
    this.ended = true
    this.#wake()
  }

  override read(into: Uint8Array): number {
    if (this.bytes.length === 0) return this.ended || into.length === 0 ? 0 : -Errno.EAGAIN
    const part = this.bytes.splice(0, into.length)
    into.set(part)
    this.#wake()
    return part.length
  }

  override write(from: Uint8Array): number {
    const part = from.subarray(0, this.capacity - this.bytes.length)
    if (part.length === 0 && from.length > 0) return -Errno.EAGAIN
    this.bytes.push(...part)
    this.#wake()
    return part.length
  }

  override readable(): boolean {
    return this.bytes.length > 0 || this.ended
  }

  override writable(): boolean {
    return this.bytes.length < this.capacity
  }

  override available(): number {
    return this.bytes.length
  }

  override hungUp(): boolean {
    return this.ended
  }

  override whenReadable(wake: () => void): () => void {
    this.#wakers.push(wake)
    return () => void (this.#wakers = this.#wakers.filter((other) => other !== wake))
  }

  override whenWritable(wake: () => void): () => void {
    return this.whenReadable(wake)
  }

  get waiting(): number {
    return this.#wakers.length
  }

  override stat(): Stat {
    const zero = { device: 9, inode: 77, mode: 0o600, links: 1, accessed: 0n, modified: 0n, changed: 0n }
    return { ...zero, type: this.type, size: this.bytes.length }
  }

  #wake(): void {
    for (const wake of this.#wakers.splice(0)) wake()
  }
}

/** A process of its own: nothing schedules it, and it waits until a test does what it waits for. */
export class LoneProcess implements WasiProcess {
  readonly files: FileSystem
  args: ReadonlyArray<string> = ["program"]
  readonly env: Map<string, string> = new Map()
  readonly clockResolution = 1000n
  readonly raised: Array<number> = []
  readonly rows: Array<Descriptor | undefined> = []
  maximumFds = 64
  time = 1_700_000_000_000_000_000n
  uptime = 5_000_000_000n
  cpu = 40_000_000n
  turns = 0
  /** What `yield` answers. */
  turn: Promise<void> | undefined
  #timers: Array<{ readonly at: bigint; readonly wake: () => void }> = []

  constructor(files?: FileSystem) {
    this.files = files ?? VirtualFileSystem.make({ now: () => this.time })
  }

  /** Lets time pass on all clocks but that of computing. */
  pass(ms: number): void {
    this.time += BigInt(ms * 1e6)
    this.uptime += BigInt(ms * 1e6)
    const due = this.#timers.filter(({ at }) => at <= this.uptime)
    this.#timers = this.#timers.filter(({ at }) => at > this.uptime)
    for (const { wake } of due) wake()
  }

  get timers(): number {
    return this.#timers.length
  }

  descriptor(fd: number): Descriptor | undefined {
    return this.rows[fd]
  }

  addDescriptor(descriptor: Descriptor): number {
    const free = Array.from(this.rows.keys()).find((fd) => this.rows[fd] === undefined) ?? this.rows.length
    if (free >= this.maximumFds) return -Errno.EMFILE
    this.rows[free] = descriptor
    return free
  }

  renumber(from: number, to: number): number {
    const row = this.rows[from]
    const old = this.rows[to]
    if (row === undefined || old === undefined) return -Errno.EBADF
    if (from === to) return 0
    old.file.release()
    this.rows[to] = row
    this.rows[from] = undefined
    return 0
  }

  close(fd: number): number {
    const row = this.rows[fd]
    if (row === undefined) return -Errno.EBADF
    row.file.release()
    this.rows[fd] = undefined
    return 0
  }

  read(fd: number, into: Uint8Array): Later<number> {
    return this.#retry(fd, (file) => file.read(into), (file, wake) => void file.whenReadable(wake))
  }

  write(fd: number, from: Uint8Array): Later<number> {
    return this.#retry(fd, (file) => file.write(from), (file, wake) => void file.whenWritable(wake))
  }

  poll(subscriptions: ReadonlyArray<Subscription>): Promise<ReadonlyArray<number>> {
    return new Promise((resolve) => {
      subscriptions.forEach((subscription, index) => {
        const wake = () => resolve([index])
        if (subscription._tag === "After") {
          this.#timers.push({ at: this.uptime + BigInt(Math.round(subscription.ms * 1e6)), wake })
        } else if (subscription._tag === "Readable") this.rows[subscription.fd]?.file.whenReadable(wake)
        else this.rows[subscription.fd]?.file.whenWritable(wake)
      })
    })
  }

  yield(): Later<void> {
    this.turns++
    return this.turn
  }

  exit(code: number): never {
    throw new Ended(code)
  }

  raise(signal: number): number {
    this.raised.push(signal)
    return 0
  }

  umask(): number {
    return 0o022
  }

  now(): bigint {
    return this.time
  }

  monotonic(): bigint {
    return this.uptime
  }

  cpuTime(): bigint {
    return this.cpu
  }

  random(into: Uint8Array): void {
    into.fill(0xa5)
  }

  #retry(
    fd: number,
    attempt: (file: OpenFile) => number,
    wait: (file: OpenFile, wake: () => void) => void,
  ): Later<number> {
    const file = this.rows[fd]?.file
    if (file === undefined) return -Errno.EBADF
    const result = attempt(file)
    if (result !== -Errno.EAGAIN || (file.flags & FileFlag.nonblock) !== 0) return result
    return new Promise<void>((resolve) => wait(file, resolve)).then(() => this.#retry(fd, attempt, wait))
  }
}

const encoder = new TextEncoder()
const decoder = new TextDecoder()

/** The memory and the imports of one program that is not there. */
export class Guest {
  readonly process: LoneProcess
  memory: Memory
  readonly wasi: WasiFunctions
  /** Where results go: below it nothing is written. */
  readonly out = 64
  #next = 1024

  constructor(
    process: LoneProcess = new LoneProcess(),
    memory: Memory = new WebAssembly.Memory({ initial: 2 }),
  ) {
    this.process = process
    this.memory = memory
    this.wasi = wasiImports(process, () => this.memory)
  }

  get view(): DataView {
    return new DataView(this.memory.buffer)
  }

  get bytes(): Uint8Array {
    return new Uint8Array(this.memory.buffer)
  }

  u32(pointer: number = this.out): number {
    return this.view.getUint32(pointer, true)
  }

  u64(pointer: number = this.out): bigint {
    return this.view.getBigUint64(pointer, true)
  }

  /** Room in memory that nothing else uses. */
  room(length: number): number {
    const pointer = this.#next
    this.#next = (pointer + length + 7) & ~7
    return pointer
  }

  /** Puts bytes or text in memory: where, and how long. */
  put(content: string | Uint8Array): readonly [pointer: number, length: number] {
    const bytes = typeof content === "string" ? encoder.encode(content) : content
    const pointer = this.room(bytes.length)
    this.bytes.set(bytes, pointer)
    return [pointer, bytes.length]
  }

  text(pointer: number, length: number): string {
    return decoder.decode(this.bytes.slice(pointer, pointer + length))
  }

  /** Vectors of these ranges: where, and how many. */
  vectors(...ranges: ReadonlyArray<readonly [number, number]>): readonly [pointer: number, count: number] {
    const pointer = this.room(ranges.length * 8)
    ranges.forEach(([at, length], index) => {
      this.view.setUint32(pointer + index * 8, at, true)
      this.view.setUint32(pointer + index * 8 + 4, length, true)
    })
    return [pointer, ranges.length]
  }

  /** Gives the program an open file; answers with its number. */
  give(file: OpenFile, rights?: number, inheriting?: number, preopen?: string): number {
    return this.process.addDescriptor(new Descriptor(file, rights, inheriting, preopen))
  }

  /** Gives the program the root of its file system. */
  giveRoot(rights?: number, inheriting?: number, preopen: string = "/"): number {
    const { files } = this.process
    const file = files.open(files.root, ".", { directory: true })
    if (typeof file === "number") throw new Error(`no root: ${errnoName(file)}`)
    return this.give(file, rights, inheriting, preopen)
  }

  /** `path_open` with plain numbers; answers with the descriptor or a negative errno. */
  open(
    fd: number,
    path: string,
    options: { how?: number; rights?: number; inheriting?: number; flags?: number; follow?: boolean } = {},
  ): number {
    const { flags = 0, follow = true, how = 0, inheriting = 0, rights = 0 } = options
    const errno = this.wasi.path_open(
      fd,
      follow ? 1 : 0,
      ...this.put(path),
      how,
      BigInt(rights),
      BigInt(inheriting),
      flags,
      this.out,
    )
    return errno === 0 ? this.u32() : -errno
  }
}

/** The name of an errno, so that a failing test says what came instead. */
export const name = (errno: Later<number>): string => {
  if (typeof errno !== "number") throw new Error("it waits")
  return errnoName(errno)
}
