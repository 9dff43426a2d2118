/**
 * Runs a program of classic BPF as the kernel does, for filters of system calls.
 */

/** What a filter looks at: `struct seccomp_data`. */
export interface SystemCall {
  readonly architecture: number
  readonly number: number
  readonly args?: ReadonlyArray<bigint>
}

const dataOf = ({ architecture, args = [], number }: SystemCall): DataView => {
  const view = new DataView(new ArrayBuffer(64))
  view.setUint32(0, number, true)
  view.setUint32(4, architecture, true)
  for (const [index, value] of args.entries()) view.setBigUint64(16 + 8 * index, value, true)
  return view
}

/** The answer of a filter. Throws where the kernel would refuse the program. */
export const runBpf = (program: Uint8Array, call: SystemCall): number => {
  const data = dataOf(call)
  const code = new DataView(program.buffer, program.byteOffset, program.byteLength)
  const length = program.byteLength / 8
  if (!Number.isInteger(length) || length === 0 || length > 4_096) {
    throw new Error(`a program of ${length} instructions`)
  }
  let accumulator = 0
  for (let at = 0; at < length;) {
    const [opcode, k] = [code.getUint16(8 * at, true), code.getUint32(8 * at + 4, true)]
    const jump = (yes: boolean): number => at + 1 + code.getUint8(8 * at + (yes ? 2 : 3))
    switch (opcode) {
      case 0x20:
        if (k % 4 !== 0 || k >= 64) throw new Error(`loads from ${k}`)
        accumulator = data.getUint32(k, true)
        at += 1
        break
      case 0x15:
        at = jump(accumulator === k)
        break
      case 0x35:
        at = jump(accumulator >= k)
        break
      case 0x45:
        at = jump((accumulator & k) !== 0)
        break
      case 0x06:
        return k
      default:
        throw new Error(`instruction ${opcode.toString(16)} at ${at}`)
    }
  }
  throw new Error("ran past its end")
}
