/** Declares the resolved settings of engines, containers and the shells in them. */
import type * as Redacted from "effect/Redacted"
import type { LeafSettings } from "../../shell/LeafOptions.ts"

/** A folder or file of the engine's machine in a container. */
export interface ContainerMount {
  /** Its absolute path on the machine of the engine. */
  readonly source: string
  /** Its absolute path in the container. */
  readonly target: string
  /** Whether it cannot be written. Default: `false`. */
  readonly readOnly?: boolean | undefined
}

/** A file system in memory in a container. */
export interface ContainerTmpfs {
  /** Its absolute path in the container. */
  readonly target: string
  /** Its size. Default: half of the machine's memory. */
  readonly maxBytes?: number | undefined
}

/** Limits of a container, for all processes in it together. */
export interface ContainerLimits {
  /** Memory; swap is not added. Beyond it a process is killed, and a command that fails then is `ResourceExhausted`. */
  readonly memoryBytes?: number | undefined
  /** Number of processes and threads. Beyond it fork fails, and a command that fails then is `ResourceExhausted`. */
  readonly processes?: number | undefined
  /** Processors, such as `1.5`. */
  readonly cpus?: number | undefined
}

/** An engine, and how it is called. */
export interface Engine {
  readonly kind: "podman" | "docker"
  /** The program: a name on PATH, or a path. */
  readonly program: string
  /** Arguments before the subcommand. */
  readonly arguments: ReadonlyArray<string>
}

export interface ContainerSource {
  readonly image?: string | undefined
  readonly rootfs?: string | undefined
}

/** Decoded settings of new containers. */
export interface ContainerSettings extends ContainerSource {
  readonly mounts: ReadonlyArray<ContainerMount>
  readonly tmpfs: ReadonlyArray<ContainerTmpfs>
  readonly limits: ContainerLimits
  readonly network: string
  readonly user: string | undefined
  readonly readOnly: boolean
  readonly pull: "never" | "missing" | "always"
  readonly runArguments: ReadonlyArray<string>
}

/** The container to use or to make, with resolved settings. */
export interface ContainerTarget {
  readonly engine: Engine
  /** Settings of new containers; `undefined` for an existing container. */
  readonly container: ContainerSettings | undefined
  readonly existing: string | undefined
  readonly user: string | undefined
}

/** The options of a container shell, resolved. */
export interface ContainerShellSettings extends LeafSettings, ContainerTarget {
  readonly reuse: boolean
  readonly warm: number
  readonly cwd: string | undefined
  readonly env: Readonly<Record<string, string | Redacted.Redacted<string>>>
  readonly defaultShell: string
}
