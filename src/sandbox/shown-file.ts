/** A file or folder of the machine and where code sees it. */
export interface ShownFile {
  from: string;
  to: string;
}
