/**
 * Declares the process that the WASI functions call: the system calls and the rows of its descriptor table.
 *
 * @module
 */
import type { FileSystem } from "../FileSystem.ts"
import type { Directory, OpenFile } from "../OpenFile.ts"
import type { System } from "../System.ts"
import { allRights, rightsOf } from "./Rights.ts"

/**
 * One row of a process's table of descriptors. The open file may be shared; the rest belongs to this number of this
 * process. A process that is no WASI program never looks at the rights.
 */
export class Descriptor {
  readonly file: OpenFile
  /**
   * What may be done through this descriptor: of what is asked for, what a file of this type has. Default: everything.
   */
  rights: number
  /** What a descriptor may do that is opened from this one. */
  inheriting: number
  /** The name under which a folder was given to the program at its start. */
  readonly preopen: string | undefined
  /** The working directory, of which paths that begin here may be meant to begin: see `rootDescriptor`. */
  readonly workingDirectory: string | undefined
  /** The folder of the preopen that it comes from: absolute links start there. */
  readonly linkRoot: Directory | undefined

  constructor(
    file: OpenFile,
    rights: number = allRights,
    inheriting: number = allRights,
    preopen?: string,
    workingDirectory?: string,
    linkRoot: Directory | undefined = preopen === undefined ? undefined : file.directory,
  ) {
    this.file = file
    this.rights = rights & rightsOf(file.type)
    this.inheriting = inheriting
    this.preopen = preopen
    this.workingDirectory = workingDirectory
    this.linkRoot = linkRoot
  }
}

/** A process as the WASI functions see it. */
export interface WasiProcess extends
  Pick<
    System,
    | "args"
    | "env"
    | "read"
    | "write"
    | "close"
    | "poll"
    | "breathe"
    | "exit"
    | "umask"
    | "now"
    | "monotonic"
    | "cpuTime"
    | "random"
  > {
  /** The tree of names. Every path of WASI starts at a folder that a descriptor holds. */
  readonly files: FileSystem
  /** The row of a number; `undefined` when it is not open. */
  readonly descriptor: (fd: number) => Descriptor | undefined
  /** Puts a row at the lowest free number. `-EMFILE` when there is none: the file's reference stays the caller's. */
  readonly addDescriptor: (descriptor: Descriptor) => number
  /**
   * Moves a row to another number that is open, whose file is closed; the old number is free then. Without a change
   * when both are the same. `-EBADF` when either is not open.
   */
  readonly renumber: (from: number, to: number) => number
  /**
   * Sends a signal, by its Linux number, to this process itself. 0 when it is ignored or handled. A signal that ends
   * the process does not come back: it throws what the kernel alone catches, as `exit` does.
   */
  readonly raise: (signal: number) => number
  /** The smallest step of the clocks, in nanoseconds. */
  readonly clockResolution: bigint
}
