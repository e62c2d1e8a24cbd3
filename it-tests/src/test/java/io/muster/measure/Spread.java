package io.muster.measure;

import java.util.function.Consumer;

/** Passes figures on, and compares the times of a change at the slowest and the fastest size. */
final class Spread implements Consumer<Figure> {
    private final Consumer<Figure> next;
    private double least = Double.MAX_VALUE;
    private double most;

    Spread(Consumer<Figure> next) {
        this.next = next;
    }

    @Override
    public void accept(Figure figure) {
        if (figure.what().equals(Measure.CHANGE)) {
            least = Math.min(least, figure.value());
            most = Math.max(most, figure.value());
        }
        next.accept(figure);
    }

    Figure figure() {
        return Figure.once("the same, slowest size/fastest", 0, "x", most / least);
    }
}
