/** Refuses unknown and contradictory options of containers, and fills in the defaults. */
import * as Redacted from "effect/Redacted"
import {
  OptionError,
  pickOptions,
  refuseUnknownOptions,
  requireBooleans,
  requireCount,
  showValue,
} from "../../base/OptionError.ts"
import { resolveLeafSettings } from "../../shell/LeafOptions.ts"
import { checkContainerLimits, checkMounts, makeOptionChecks } from "./checkContainerOptions.ts"
import {
  containerLeafOptionNames,
  type ContainerLeafOptions,
  containerOptionNames,
  type ContainerOptions,
  type ContainerShellOptions,
  type EngineOptions,
  sharedContainerOptionNames,
  type SharedContainerOptions,
} from "./ContainerOptions.ts"
import type { ContainerSettings, ContainerShellSettings, ContainerTarget, Engine } from "./ContainerSettings.ts"
import { isShellName } from "../../host/systemShell.ts"

/** Resolves the engine. */
const resolveEngine = (where: string, options: EngineOptions): Engine => {
  const { engine: kind = "podman", engineArguments = [], program = kind } = options
  if (kind !== "podman" && kind !== "docker") {
    throw new OptionError("engine", `${where}: engine must be "podman" or "docker", got ${showValue(kind)}`)
  }
  const check = makeOptionChecks(where)
  check.name("program", program)
  check.words("engineArguments", engineArguments)
  if (program.includes("/")) check.path("program", program)
  return { kind, program, arguments: engineArguments }
}

/** Resolves how a container is made. */
const resolveContainer = (where: string, options: ContainerOptions): ContainerSettings => {
  const { image, limits = {}, mounts = [], network = "none", pull = "never", readOnly = false, rootfs } = options
  const { tmpfs = [], user } = options
  const check = makeOptionChecks(where)
  if ((image === undefined) === (rootfs === undefined)) {
    check.refuse("image", "or rootfs is required, and not both")
  }
  check.name("image", image)
  check.name("network", network)
  check.name("user", user)
  if (rootfs !== undefined) {
    if (options.engine === "docker") check.refuse("rootfs", "needs podman: docker runs images only")
    check.path("rootfs", rootfs)
  }
  if (!["never", "missing", "always"].includes(pull)) {
    check.refuse("pull", `must be "never", "missing" or "always", got ${showValue(pull)}`)
  }
  check.words("runArguments", options.runArguments ?? [])
  requireBooleans(where, { readOnly })
  checkMounts(where, mounts, tmpfs)
  checkContainerLimits(where, limits)
  return {
    image,
    rootfs,
    mounts,
    tmpfs,
    limits,
    network,
    user,
    readOnly,
    pull,
    runArguments: options.runArguments ?? [],
  }
}

/** Resolves which container is used or made. */
export const resolveTarget = (where: string, options: SharedContainerOptions): ContainerTarget => {
  const check = makeOptionChecks(where)
  const { container } = options
  check.name("container", container)
  check.name("user", options.user)
  if (container !== undefined) {
    const { user: _user, ...made } = containerOptionNames
    const other = Object.keys(made).find((name) =>
      Object.entries(options).some(([n, v]) => n === name && v !== undefined)
    )
    if (other !== undefined) check.refuse(other, "is for a new container; without it, `container` is used")
  }
  return {
    engine: resolveEngine(where, options),
    container: container === undefined ? resolveContainer(where, options) : undefined,
    existing: container,
    user: options.user,
  }
}

/** Resolves the options of a shell in a shared container. */
export const resolveContainerLeaf = (
  where: string,
  options: ContainerLeafOptions,
  target: ContainerTarget,
): ContainerShellSettings => {
  refuseUnknownOptions(where, options, containerLeafOptionNames)
  const check = makeOptionChecks(where)
  const { cwd, defaultShell = "/bin/sh", env = {}, warm = 1 } = options
  if (cwd !== undefined) check.path("cwd", cwd)
  check.path("defaultShell", defaultShell)
  if (typeof env !== "object" || env === null) {
    check.refuse("env", `must be an object with a string for each name, got ${showValue(env)}`)
  }
  for (const [name, value] of Object.entries(env)) {
    if (!isShellName(name)) check.refuse("env", `cannot have ${showValue(name)}: a name has letters, digits and "_"`)
    const text = Redacted.isRedacted(value) ? Redacted.value(value) : value
    if (typeof text !== "string" || text.includes("\0")) check.refuse("env", `cannot have ${name} with that value`)
  }
  const count = requireCount(where, "warm", warm, { min: 0, max: 64 })
  return {
    ...resolveLeafSettings(where, options),
    ...target,
    reuse: target.existing === undefined,
    warm: count,
    cwd,
    env,
    defaultShell,
  }
}

/** Resolves the options of a shell. */
export const resolveContainerShell = (options: ContainerShellOptions): ContainerShellSettings => {
  const where = "ContainerShell"
  refuseUnknownOptions(where, options, { ...sharedContainerOptionNames, ...containerLeafOptionNames, reuse: true })
  const { reuse = false } = options
  requireBooleans(where, { reuse })
  if (reuse && options.container !== undefined) {
    makeOptionChecks(where).refuse("reuse", "is for new containers: commands run in `container` anyway")
  }
  const leaf = pickOptions<ContainerLeafOptions>(options, containerLeafOptionNames)
  return { ...resolveContainerLeaf(where, leaf, resolveTarget(where, options)), reuse }
}
