/** Declares the options of containers and of the shell in them. */
import type * as Redacted from "effect/Redacted"
import { leafOptionNames, type LeafOptions } from "../../shell/LeafOptions.ts"
import type { ContainerLimits, ContainerMount, ContainerTmpfs } from "./ContainerSettings.ts"

/** The engine that runs containers. */
export interface EngineOptions {
  /** The engine. Default: `"podman"`. */
  readonly engine?: "podman" | "docker" | undefined
  /** The program of the engine: a name on PATH, or an absolute path. Default: the name of the engine. */
  readonly program?: string | undefined
  /**
   * Arguments of the engine before its subcommand, such as `["--runtime", "runc"]`. Paths in them are absolute. Default:
   * none.
   */
  readonly engineArguments?: ReadonlyArray<string> | undefined
}

/** Settings of a container that the leaf makes. One of `image` and `rootfs` is required. */
export interface ContainerOptions extends EngineOptions {
  /** The image. */
  readonly image?: string | undefined
  /**
   * A folder that is the root file system, with podman. All containers write into it; `DIR:O` gives each a layer of its own.
   */
  readonly rootfs?: string | undefined
  /** Folders and files of the engine's machine. Default: none. */
  readonly mounts?: ReadonlyArray<ContainerMount> | undefined
  /** File systems in memory. Default: none. */
  readonly tmpfs?: ReadonlyArray<ContainerTmpfs> | undefined
  /** Limits of each container. Default: none. */
  readonly limits?: ContainerLimits | undefined
  /** The network: `"none"`, or one of the engine, such as `"bridge"`. Default: `"none"`. */
  readonly network?: string | undefined
  /** The user, as `--user` takes it: `"1000:1000"`. Default: the image's. */
  readonly user?: string | undefined
  /** Whether the root file system cannot be written. Default: `false`. */
  readonly readOnly?: boolean | undefined
  /** Whether the engine fetches the image: `"never"`, if it is `"missing"`, or `"always"`. Default: `"never"`. */
  readonly pull?: "never" | "missing" | "always" | undefined
  /** Further arguments of `run`, such as `["--ulimit", "nofile=4096:4096"]`. Default: none. */
  readonly runArguments?: ReadonlyArray<string> | undefined
}

/**
 * The container that leaves share: an existing one, or a new one. One of `image`, `rootfs` and `container` is required.
 */
export interface SharedContainerOptions extends ContainerOptions {
  /** A container that runs already, by name or id; the leaf does not remove it. */
  readonly container?: string | undefined
}

/** Options of a shell beside those of its containers. */
export interface ContainerLeafOptions extends LeafOptions {
  /**
   * Number of sessions that wait for commands. Without `reuse` and `container` each is a container that has been started, and
   * that one command uses. Default: 1.
   */
  readonly warm?: number | undefined
  /** Working directory of commands without one, and base of relative ones. Default: the image's. */
  readonly cwd?: string | undefined
  /** Variables of all commands, which are added to those of the image. Default: none. */
  readonly env?: Readonly<Record<string, string | Redacted.Redacted<string>>> | undefined
  /** The shell of `useShell`, a path in the container. Default: `/bin/sh`. */
  readonly defaultShell?: string | undefined
}

/**
 * Options of a shell whose commands run in containers. One of `image`, `rootfs` and `container` is required.
 */
export interface ContainerShellOptions extends SharedContainerOptions, ContainerLeafOptions {
  /**
   * Whether all commands run in one container, which is made for the leaf. They see each other's files and processes, and
   * background processes live on. Default: `false`: a container for each command.
   */
  readonly reuse?: boolean | undefined
}

const engineOptionNames: Readonly<Record<keyof EngineOptions, true>> = {
  engine: true,
  program: true,
  engineArguments: true,
}

export const containerOptionNames: Readonly<Record<Exclude<keyof ContainerOptions, keyof EngineOptions>, true>> = {
  image: true,
  rootfs: true,
  mounts: true,
  tmpfs: true,
  limits: true,
  network: true,
  user: true,
  readOnly: true,
  pull: true,
  runArguments: true,
}

export const sharedContainerOptionNames: Readonly<Record<keyof SharedContainerOptions, true>> = {
  ...engineOptionNames,
  ...containerOptionNames,
  container: true,
}

export const containerLeafOptionNames: Readonly<Record<keyof ContainerLeafOptions, true>> = {
  ...leafOptionNames,
  warm: true,
  cwd: true,
  env: true,
  defaultShell: true,
}
