/** Declares the process that the WASI functions call: the system calls and the rows of its descriptor table. */
import type { FileSystem } from "../FileSystem.ts"
import type { Directory, OpenFile } from "../OpenFile.ts"
import type { System } from "../System.ts"
import { allRights, rightsOf } from "./Rights.ts"

/** A row of a process's descriptor table. The open file may be shared. Programs in TypeScript ignore the rights. */
export class Descriptor {
  readonly file: OpenFile
  /** Rights of this descriptor, limited to those that a file of its type can have. Default: all. */
  rights: number
  /** Rights of descriptors that are opened from this one. */
  inheriting: number
  readonly preopen: string | undefined
  /** Working directory at which paths of this folder may start: see `rootDescriptor`. */
  readonly workingDirectory: string | undefined
  /** Folder of the preopen it was opened from, at which absolute links start. */
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

export interface WasiProcess extends
  Pick<
    System,
    | "args"
    | "env"
    | "read"
    | "write"
    | "close"
    | "poll"
    | "yield"
    | "exit"
    | "umask"
    | "now"
    | "monotonic"
    | "cpuTime"
    | "random"
  > {
  /** The file system. Every path of WASI starts at the folder of a descriptor. */
  readonly files: FileSystem
  readonly descriptor: (fd: number) => Descriptor | undefined
  /** Adds a row at the lowest free number. On `-EMFILE` the caller keeps the reference of the file. */
  readonly addDescriptor: (descriptor: Descriptor) => number
  /** Moves a row to another open number, whose file is closed; the old number becomes free. `-EBADF` if either is not open. */
  readonly renumber: (from: number, to: number) => number
  /** Sends a signal to this process. Returns 0 if it is ignored or handled; else throws, as `exit` does. */
  readonly raise: (signal: number) => number
  readonly clockResolution: bigint
}
