import { Kernel, shellProgram } from "../../../../src/kernel/Kernel.ts"

Object.assign(globalThis, { Kernel, shellProgram })
