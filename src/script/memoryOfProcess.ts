/** Measures the memory of this process against its limit, and collects its garbage. */
import { type NodeBuiltins, nodeBuiltins } from "../base/nodeBuiltins.ts"

/** Maximum fraction of V8's limit that only young objects may use. */
const youngBytes = 192 * 1024 * 1024
/**
 * The fraction of the machine's memory that limits memory outside of V8's heap, and all of Bun's memory, which has no
 * other limit.
 */
const machinePart = 0.5

export interface ProcessMemory {
  readonly limit: number
  readonly used: () => number
  readonly collectGarbage: () => void
}

const unlimited: ProcessMemory = { limit: Infinity, used: () => 0, collectGarbage: () => {} }

const isFunction = (u: unknown): u is (now?: boolean) => void => typeof u === "function"

const memoryOfBun = (memoryUsage: typeof process.memoryUsage, machine: number): ProcessMemory => {
  const collect: unknown = Reflect.get(Reflect.get(globalThis, "Bun"), "gc")
  return {
    limit: machine,
    used: () => {
      const { external, heapUsed } = memoryUsage()
      return Math.max(external, heapUsed)
    },
    collectGarbage: () => isFunction(collect) && collect(true),
  }
}

const memoryOfV8 = (memoryUsage: typeof process.memoryUsage, machine: number, runtime: NodeBuiltins): ProcessMemory => {
  const v8 = runtime.getBuiltinModule("node:v8")
  const { heap_size_limit: all } = v8.getHeapStatistics()
  const limit = Math.max(all / 2, all - youngBytes)
  return {
    limit,
    used: () => {
      const { external, heapUsed } = memoryUsage()
      // The limit that is nearer to being reached.
      return Math.max(heapUsed, (heapUsed + external) * (limit / machine))
    },
    collectGarbage: () => {
      v8.setFlagsFromString("--expose-gc")
      const collect: unknown = runtime.getBuiltinModule("node:vm").runInNewContext("gc")
      if (isFunction(collect)) collect()
    },
  }
}

/** The memory of this process; without a limit if the runtime does not report one. */
export const memoryOfProcess = (): ProcessMemory => {
  const runtime = nodeBuiltins()
  if (runtime === undefined) return unlimited
  try {
    const { constrainedMemory, memoryUsage } = runtime.getBuiltinModule("node:process")
    // 0 or a large number means no limit.
    const constrained = constrainedMemory?.() || Infinity
    const machine = machinePart * Math.min(runtime.getBuiltinModule("node:os").totalmem(), constrained)
    return "Bun" in globalThis ? memoryOfBun(memoryUsage, machine) : memoryOfV8(memoryUsage, machine, runtime)
  } catch {
    // Deno without permissions does not report it.
    return unlimited
  }
}
