import { test as evaluate, TestError, type TestHost } from "../shell/builtins/test.ts"
import type { Program } from "../System.ts"
import { utility } from "./shared/utility.ts"

const program = (name: string): Program =>
  utility(name, "=", (io) => {
    const words = [...io.operands]
    if (name === "[" && words.pop() !== "]") return io.fail("missing ‘]’")
    const host: TestHost = {
      isReference: () => false,
      isSet: (variable) => io.system.env.has(variable),
      // Nothing in the kernel is a terminal.
      isTerminal: () => false,
      optionOn: () => false,
      stat: (path, follow) => path === "" ? -44 : io.system.stat(path, { follow }),
    }
    try {
      return evaluate(words, host) ? 0 : 1
    } catch (cause) {
      return cause instanceof TestError ? io.fail(cause.message) : Promise.reject(cause)
    }
  }, { trouble: 2 })

/** `test EXPRESSION`: the shell's, as a program. Source: test(1). */
export const test: Program = program("test")

/** `[ EXPRESSION ]`. */
export const bracket: Program = program("[")
