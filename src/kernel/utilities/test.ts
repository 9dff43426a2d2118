/** Implements the `test` and `[` utilities, which evaluate conditions with the shell builtin's own code. */
import { test as evaluate, type TestContext, TestError } from "../shell/builtins/test.ts"
import { Errno } from "../Errno.ts"
import type { Program } from "../System.ts"
import { defineUtility } from "./shared/defineUtility.ts"

const makeTest = (name: string): Program =>
  defineUtility(name, "=", (io) => {
    const words = [...io.operands]
    if (name === "[" && words.pop() !== "]") return io.fail("missing ‘]’")
    const host: TestContext = {
      isReference: () => false,
      isSet: (variable) => io.system.env.has(variable),
      // The kernel has no terminals.
      isTerminal: () => false,
      optionOn: () => false,
      stat: (path, follow) => path === "" ? -Errno.ENOENT : io.system.stat(path, { follow }),
    }
    try {
      return evaluate(words, host) ? 0 : 1
    } catch (cause) {
      return cause instanceof TestError ? io.fail(cause.message) : Promise.reject(cause)
    }
  }, { errorExitCode: 2 })

/** `test EXPRESSION`: evaluates a condition. Source: test(1). */
export const test: Program = makeTest("test")

/** `[ EXPRESSION ]`: as `test`. */
export const bracket: Program = makeTest("[")
