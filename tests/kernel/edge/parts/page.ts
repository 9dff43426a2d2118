import { Kernel, shellProgram } from "../../../../src/leaves/kernel/Kernel.ts"

Object.assign(globalThis, { Kernel, shellProgram })
