const KEPT_FOR = 10_000

/** Give the bytes of an answer to the person as a file. */
export async function saveAs(name: string, response: Response) {
  const url = URL.createObjectURL(await response.blob())
  const link = document.createElement("a")
  link.href = url
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(url), KEPT_FOR)
}
