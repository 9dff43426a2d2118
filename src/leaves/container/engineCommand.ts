/**
 * Builds the command lines of podman and docker, as pure functions.
 *
 * Source: podman-run(1), podman-exec(1), docker run, docker exec.
 */
import type { ContainerMount, ContainerSettings, ContainerTmpfs, Engine } from "./ContainerSettings.ts"

/** The labels of a container: its owner, and the process that made it. */
export type Labels = Readonly<Record<string, string>>

/** Quotes a field of `--mount`, which is CSV: a comma or a quote in a path would otherwise begin another option. */
const csv = (field: string): string => /[",\n\r]/.test(field) ? `"${field.replaceAll('"', '""')}"` : field

const mountOf = ({ readOnly, source, target }: ContainerMount): string =>
  ["type=bind", csv(`source=${source}`), csv(`target=${target}`), ...(readOnly === true ? ["readonly"] : [])].join(",")

const tmpfsOf = ({ maxBytes, target }: ContainerTmpfs): string =>
  `${target}:rw,nosuid,nodev${maxBytes === undefined ? "" : `,size=${maxBytes}`}`

/** The arguments for a terminal. Keys that detach from it would never reach the command; docker cannot do without them. */
const terminalArguments = ({ kind }: Engine, hasTerminal: boolean): ReadonlyArray<string> =>
  !hasTerminal
    ? []
    : ["--tty", kind === "podman" ? "--detach-keys=" : "--detach-keys=ctrl-^,ctrl-_,ctrl-^,ctrl-_,ctrl-^,ctrl-_"]

/** The arguments of a `run` in the foreground, of a program in a new container that is removed when it ends. */
export const runArguments = (
  engine: Engine,
  settings: ContainerSettings,
  { labels, name, tty = false, words }: {
    readonly name: string
    readonly labels: Labels
    readonly tty?: boolean
    readonly words: ReadonlyArray<string>
  },
): ReadonlyArray<string> => {
  const { cpus, memoryBytes, processes } = settings.limits
  const [program = "sh", ...rest] = words
  return [
    ...engine.arguments,
    "run",
    "--rm",
    "--interactive",
    ...terminalArguments(engine, tty),
    `--name=${name}`,
    ...Object.entries(labels).map(([label, value]) => `--label=${label}=${value}`),
    // A log would hold the whole output on the disk.
    "--log-driver=none",
    `--pull=${settings.pull}`,
    `--network=${settings.network}`,
    "--security-opt=no-new-privileges",
    ...(settings.user === undefined ? [] : [`--user=${settings.user}`]),
    ...(settings.readOnly ? ["--read-only"] : []),
    ...(memoryBytes === undefined ? [] : [`--memory=${memoryBytes}b`, `--memory-swap=${memoryBytes}b`]),
    ...(processes === undefined ? [] : [`--pids-limit=${processes}`]),
    ...(cpus === undefined ? [] : [`--cpus=${cpus}`]),
    ...settings.mounts.map((mount) => `--mount=${mountOf(mount)}`),
    ...settings.tmpfs.map((mount) => `--tmpfs=${tmpfsOf(mount)}`),
    ...settings.runArguments,
    `--entrypoint=${program}`,
    ...(settings.rootfs === undefined ? [settings.image ?? ""] : ["--rootfs", settings.rootfs]),
    ...rest,
  ]
}

/** The arguments of an `exec` in a container that runs. */
export const execArguments = (
  engine: Engine,
  { container, tty = false, user, words }: {
    readonly container: string
    readonly user?: string | undefined
    readonly tty?: boolean
    readonly words: ReadonlyArray<string>
  },
): ReadonlyArray<string> => [
  ...engine.arguments,
  "exec",
  "--interactive",
  ...terminalArguments(engine, tty),
  ...(user === undefined ? [] : [`--user=${user}`]),
  container,
  ...words,
]

/** The arguments that kill and remove a container at once. */
export const removeArguments = (engine: Engine, container: string): ReadonlyArray<string> => [
  ...engine.arguments,
  "rm",
  "--force",
  // docker kills at once; podman first asks the container to end, and waits ten seconds.
  ...(engine.kind === "podman" ? ["--time=0"] : []),
  "--volumes",
  container,
]

/** The arguments that list the containers with a label, one a line: the id, and the values of further labels, by tabs. */
export const listArguments = (
  engine: Engine,
  filter: string,
  labels: ReadonlyArray<string> = [],
): ReadonlyArray<string> => [
  ...engine.arguments,
  "ps",
  "--all",
  "--no-trunc",
  `--filter=label=${filter}`,
  `--format=${
    [
      "{{.ID}}",
      ...labels.map((label) => engine.kind === "podman" ? `{{index .Labels "${label}"}}` : `{{.Label "${label}"}}`),
    ]
      .join("\t")
  }`,
]

/** The arguments that write the id of an image, or nothing where the engine does not have it. */
export const imagesArguments = (engine: Engine, image: string): ReadonlyArray<string> => [
  ...engine.arguments,
  "images",
  "--quiet",
  image,
]

/** The arguments that print whether a container runs: `true` or `false`; they fail if there is no container. */
export const runningArguments = (engine: Engine, container: string): ReadonlyArray<string> => [
  ...engine.arguments,
  "container",
  "inspect",
  "--format={{.State.Running}}",
  container,
]

/**
 * The arguments that print the state of a container: `running`, `paused`, `exited` or another; they fail if there is no
 * container.
 */
export const stateArguments = (engine: Engine, container: string): ReadonlyArray<string> => [
  ...engine.arguments,
  "container",
  "inspect",
  "--format={{.State.Status}}",
  container,
]
