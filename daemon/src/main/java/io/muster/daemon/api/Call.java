package io.muster.daemon.api;

import io.muster.daemon.access.Identity;
import io.muster.daemon.access.Rights;
import io.muster.daemon.account.Account;
import io.muster.daemon.http.Ask;
import io.muster.daemon.http.Exchange;
import io.muster.daemon.http.Refusal;
import io.muster.protocol.rpc.RpcException;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** A request for a route, with the rights of its user. The methods that read a parameter refuse the request if the value is wrong. */
record Call(
        Route route,
        Exchange exchange,
        @Nullable Caller sender,
        @Nullable Rights granted) {
    /**
     * The sender of a request.
     *
     * @param token null if the connection identifies the sender
     */
    record Caller(Identity identity, @Nullable String token) {}

    /** Returns the sender of the request. Not for routes that need no right. */
    Caller caller() {
        return Objects.requireNonNull(sender);
    }

    /** Returns the rights of the user. Not for routes that need none. */
    Rights rights() {
        return Objects.requireNonNull(granted);
    }

    /** Returns the account of the user. Not for routes that need no right. */
    Account payer() {
        return Objects.requireNonNull(exchange.account());
    }

    Ask ask() {
        return exchange.ask();
    }

    void fail(RpcException error) {
        exchange.answer(Problems.of(error).answer());
    }

    /** Returns the value of a parameter; null if it is not given. */
    @Nullable
    String param(String name) {
        List<String> values = ask().params().get(name);
        return values == null ? null : values.get(0);
    }

    boolean flag(String name) {
        String text = param(name);
        if (text == null || text.equals("false")) {
            return false;
        } else if (text.isEmpty() || text.equals("true")) {
            return true;
        }
        throw wrong(name, "is true or false");
    }

    /** Returns a number, at least {@code least} and at most {@code most}. */
    long number(String name, long otherwise, long least, long most) {
        String text = param(name);
        if (text == null) {
            return otherwise;
        }
        try {
            long value = Long.parseLong(text);
            if (value >= least && value <= most) {
                return value;
            }
        } catch (NumberFormatException e) {
            throw wrong(name, "is a number from " + least + " to " + most);
        }
        throw wrong(name, "is a number from " + least + " to " + most);
    }

    /** Returns a time in seconds since the epoch, which is given as such or by RFC 3339. */
    double time(String name, double otherwise) {
        String text = param(name);
        if (text == null) {
            return otherwise;
        }
        try {
            if (text.matches("\\d{1,12}(\\.\\d{1,9})?")) {
                return Double.parseDouble(text);
            }
            Instant time = OffsetDateTime.parse(text).toInstant();
            return time.getEpochSecond() + time.getNano() / (double) TimeUnit.SECONDS.toNanos(1);
        } catch (DateTimeException e) {
            throw wrong(name, "is a time by RFC 3339, such as 2026-11-23T17:00:00Z, or seconds since the epoch");
        }
    }

    static Refusal wrong(String name, String sentence) {
        return new Refusal(400, "the parameter " + name + " " + sentence);
    }
}
