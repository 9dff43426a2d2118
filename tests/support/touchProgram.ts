/** A WASI program without a compiler: it makes a file in the folder of descriptor 3 and exits with the errno. */

const [i32, i64] = [0x7f, 0x7e]

const named = (text: string): ReadonlyArray<number> => [text.length, ...new TextEncoder().encode(text)]

const section = (id: number, ...body: ReadonlyArray<number>): ReadonlyArray<number> => [id, body.length, ...body]

const wasi = named("wasi_snapshot_preview1")

/** The program's bytes. The file's name is a short one, in ASCII. */
export const touch = (name: string): Uint8Array<ArrayBuffer> => {
  // path_open(3, 0, 0, length, O_CREAT, 0, 0, 0, 32), and proc_exit of what it answers.
  const place = [0x41, 3, 0x41, 0, 0x41, 0, 0x41, name.length, 0x41, 1, 0x42, 0, 0x42, 0, 0x41, 0, 0x41, 32]
  const code = [0, ...place, 0x10, 0, 0x10, 1, 0x0b]
  return Uint8Array.of(
    ...[0, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
    ...section(1, 3, 0x60, 9, i32, i32, i32, i32, i32, i64, i64, i32, i32, 1, i32, 0x60, 1, i32, 0, 0x60, 0, 0),
    ...section(2, 2, ...wasi, ...named("path_open"), 0, 0, ...wasi, ...named("proc_exit"), 0, 1),
    ...section(3, 1, 2),
    ...section(5, 1, 0, 1),
    ...section(7, 2, ...named("_start"), 0, 2, ...named("memory"), 2, 0),
    ...section(10, 1, code.length, ...code),
    ...section(11, 1, 0, 0x41, 0, 0x0b, ...named(name)),
  )
}
