import type { DamagedFile, FileProblem } from "@/api";

const FAULTS: readonly FileProblem[] = ["missing", "rot", "unreadable", "changed", "added"];

/** Files with the same kind of damage, which determines the remedy. */
export interface Group {
  fault: FileProblem;
  paths: string[];
}

/** Group the damaged files of a version by kind of damage, worst first. */
export function grouped(files: readonly DamagedFile[]): Group[] {
  return FAULTS.map((fault) => ({
    fault,
    paths: files.filter((file) => file.fault === fault).map((file) => file.path),
  })).filter((group) => group.paths.length);
}

/** Whether files of a version are damaged, and not only added. */
export function isDamaged({ files }: { files: readonly DamagedFile[] }): boolean {
  return files.some(({ fault }) => fault !== "added");
}

/** When damage of a version was first found. */
export function knownSince(files: readonly DamagedFile[]): string | undefined {
  return files.map((file) => file.found).sort()[0];
}
