import { describe, expect, test } from "@effect/vitest"
import { findNested } from "../../../src/leaves/isolated/findNested.ts"

/** A folder `/work` with folders, some of which are repositories. */
const folderWith = (names: ReadonlyArray<string>, isRepository: (name: string) => boolean) => ({
  readNames: (path: string) => path === "/work" ? names : [],
  isLink: () => false,
  fileKind: (path: string) => {
    const [, , name = "", git] = path.split("/")
    return git === undefined || (git === ".git" && isRepository(name)) ? "directory" as const : "none" as const
  },
})

const decoys = (count: number): ReadonlyArray<string> => Array.from({ length: count }, (_, index) => `decoy${index}`)

describe("repositories below a writable folder", () => {
  test("are found behind thousands of folders that a command has made", () => {
    const names = [...decoys(19_000), "real"]
    expect(findNested(folderWith(names, (name) => name === "real"), "/work")).toEqual(["/work/real"])
  })

  test("are found behind repositories that a command has made", () => {
    const names = [...decoys(200), "real"]
    expect(findNested(folderWith(names, () => true), "/work")).toContain("/work/real")
  })

  test("are never left out: where there are too many, no leaf is made", () => {
    expect(() => findNested(folderWith(decoys(20_001), () => false), "/work")).toThrow(
      '"/work" has more than 20000 folders down to 3 levels',
    )
    expect(() => findNested(folderWith(decoys(257), () => true), "/work")).toThrow("more than 256 repositories")
  })
})
