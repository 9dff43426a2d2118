/** Makes the files of a new repository. Source: gitrepository-layout(5). */
import type { Session } from "../Session.ts"
import { exists, replaceFile, writeBytes } from "./files.ts"

/** Makes the files of a new repository. */
export const makeRepository = async (git: Session, gitdir: string, bare: boolean, branch: string): Promise<void> => {
  const { system } = git
  for (const folder of ["objects/info", "objects/pack", "refs/heads", "refs/tags", "info"]) {
    await writeBytes(system, `${gitdir}/${folder}/.made`, new Uint8Array())
    system.unlink(`${gitdir}/${folder}/.made`)
  }
  if (!exists(system, `${gitdir}/HEAD`)) await replaceFile(system, `${gitdir}/HEAD`, `ref: refs/heads/${branch}\n`)
  if (!exists(system, `${gitdir}/description`)) {
    await replaceFile(
      system,
      `${gitdir}/description`,
      "Unnamed repository; edit this file 'description' to name the repository.\n",
    )
  }
  if (exists(system, `${gitdir}/config`)) return
  await replaceFile(
    system,
    `${gitdir}/config`,
    `[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = ${bare}\n${
      bare ? "" : "\tlogallrefupdates = true\n"
    }`,
  )
}
