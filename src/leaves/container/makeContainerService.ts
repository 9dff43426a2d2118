/** Makes the Shell service of containers: plans commands, and starts them in sessions. */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type * as Scope from "effect/Scope"
import type { Host } from "../../host/Host.ts"
import { hasEngine } from "../../host/terminal/findEngine.ts"
import { withPortableScripts } from "../../script/withPortableScripts.ts"
import { makeProcessRuns } from "../../shell/ProcessLeaf.ts"
import { validateTerminal } from "../../shell/refuseTerminal.ts"
import { Shell } from "../../shell/Shell.ts"
import type { ShellService } from "../../shell/ShellService.ts"
import { faultOfRequest } from "./containerFaults.ts"
import { Containers } from "./Containers.ts"
import type { ContainerShellSettings, ContainerTarget } from "./ContainerSettings.ts"
import { enforcedLimits, planRequest } from "./planRequest.ts"
import { reapContainers } from "./reapContainers.ts"
import { SharedContainer } from "./SharedContainer.ts"
import { startCommand, type StartContext } from "./startCommand.ts"

/** Makes a container that leaves share. Closing the scope removes it. */
export const makeSharedContainer = (
  host: Host,
  target: ContainerTarget,
): Effect.Effect<SharedContainer, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.sync(() => new SharedContainer(host, target)),
    (shared) => Effect.promise(() => shared.close()),
  )

/**
 * Makes the service. Closing the scope ends all containers that it has made. `given`: the container, where others share it.
 */
export const makeContainerService = (
  host: Host,
  settings: ContainerShellSettings,
  given?: SharedContainer,
): Effect.Effect<ShellService, never, Scope.Scope> =>
  Effect.gen(function* () {
    const isShared = settings.reuse || settings.existing !== undefined
    const shared = given ?? (isShared ? yield* makeSharedContainer(host, settings) : undefined)
    const containers = yield* Effect.acquireRelease(
      Effect.sync(() => new Containers(host, settings, shared)),
      (each) => Effect.promise(() => each.close()),
    )
    yield* Effect.forkScoped(reapContainers(host, settings.engine))
    containers.pool.fill()
    const context: StartContext = { host, settings, containers, shared }
    let runs = 0
    const shell = Shell.make({
      ...makeProcessRuns({
        ...settings,
        prepare: (exec, stdin, { descriptors, terminal }) => {
          const refused = validateTerminal(exec, terminal)
          if (refused !== undefined) return Result.fail(refused)
          if (descriptors !== undefined) {
            return Result.fail(
              faultOfRequest(exec, "terminal", "a command in a container has no further descriptors", "ENOTSUP"),
            )
          }
          const marker = `${containers.owner}.${++runs}.`
          const plan = { marker, once: containers.isOwn, stdin, terminal }
          return Result.map(planRequest(exec, settings, plan), (request) => startCommand(context, exec, request, plan))
        },
      }),
      capabilities: {
        leaf: `container/${settings.engine.kind}`,
        groupKill: "helper",
        escapees: true,
        orphans: true,
        limits: enforcedLimits,
        exactOrder: true,
        get pty() {
          return hasEngine(host)
        },
        backPressure: true,
        resolvesPath: true,
        // A container that this leaf did not make may have any privilege.
        isolated: settings.existing === undefined,
      },
    })
    return withPortableScripts(shell, settings)
  })
