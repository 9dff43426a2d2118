/** Programs that the contract suite uses and the sandbox does not bring along. */
import type { SpawnRequest, System } from "../../../src/kernel/System.ts"
import type { Program } from "../../../src/kernel/System.ts"

/** Runs a script of the kernel's own shell with the arguments of a program. */
const script = (text: string): Program => (system) =>
  waitFor(system, { program: "/bin/sh", args: ["sh", "-c", text, ...system.args] })

const waitFor = async (system: System, request: SpawnRequest): Promise<number> => {
  const pid = system.spawn(request)
  if (pid < 0) return 127
  const status = await system.wait(pid)
  return typeof status === "object" ? status.exitCode : 1
}

/** `setsid PROGRAM ARG…`: in a process group of its own. Source: setsid(1). */
const setsid: Program = (system) => {
  const [program = "", ...args] = system.args.slice(1)
  return waitFor(system, { program, args: [program, ...args], group: 0 })
}

/** By their names. */
export const contractPrograms: Readonly<Record<string, Program>> = {
  setsid,
  printf: script('printf "$@"'),
  true: () => 0,
}
