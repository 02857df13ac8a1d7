export const MovedDate: DateConstructor;
