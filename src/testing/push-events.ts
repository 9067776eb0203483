import { randomUUID } from 'node:crypto';
import { anInteger, anObject, aString, required } from '../options/check-options.ts';
import { aContent, aFiniteNumber, checkRecords, textOf } from './check-members.ts';
import type { S3Event, SNSEvent, SNSMessageAttributes } from 'aws-lambda';

/** What a test specifies about one notification of SNS; the rest is filled in. */
export interface SnsNotificationMessage {
  /** Sent as it is when it is a string, else as JSON. */
  readonly message: unknown;
  /** Default: a random one. */
  readonly messageId?: string;
  /** Default: none. */
  readonly subject?: string;
  /** Default: none. */
  readonly messageAttributes?: SNSMessageAttributes;
  /** Epoch milliseconds. Default: now. */
  readonly sentAt?: number;
  /** The topic's name. Default `orders`. */
  readonly topicName?: string;
}

/**
 * Notifications as SNS delivers them to a function. `Records[0].Sns` is what a queue gets as its body.
 *
 * @param notifications What is said of each notification.
 * @throws `ConfigurationError` for a member that is unknown or impossible.
 */
export function snsEvent(notifications: readonly SnsNotificationMessage[]): SNSEvent {
  checkRecords('snsEvent', notifications, {
    content: 'message',
    checks: {
      message: aContent(),
      messageId: aString(),
      subject: aString(),
      messageAttributes: anObject(),
      sentAt: aFiniteNumber(),
      topicName: aString(),
    },
  });
  const records = notifications.map((notification) => {
    const { message, messageId = randomUUID(), subject, messageAttributes = {} } = notification;
    const { sentAt = Date.now(), topicName = 'orders' } = notification;
    const topicArn = `arn:aws:sns:us-east-1:123456789012:${topicName}`;
    return {
      EventSource: 'aws:sns',
      EventVersion: '1.0',
      EventSubscriptionArn: `${topicArn}:${randomUUID()}`,
      Sns: {
        Type: 'Notification',
        MessageId: messageId,
        TopicArn: topicArn,
        ...(subject !== undefined && { Subject: subject }),
        Message: textOf(message),
        Timestamp: new Date(sentAt).toISOString(),
        SignatureVersion: '1',
        Signature: 'EXAMPLE',
        SigningCertUrl: 'https://sns.us-east-1.amazonaws.com/example.pem',
        UnsubscribeUrl: 'https://sns.us-east-1.amazonaws.com/?Action=Unsubscribe',
        MessageAttributes: messageAttributes,
      },
    };
  });
  return { Records: records };
}

/** What a test specifies about one object of S3; the rest is filled in. */
export interface S3Object {
  /** The key as it is; it is encoded as S3 does. */
  readonly key: string;
  /** Default `uploads`. */
  readonly bucket?: string;
  /** Default `ObjectCreated:Put`. */
  readonly eventName?: string;
  /** In bytes. Default 1,024. */
  readonly size?: number;
  /** Default: none, as in a bucket without versions. */
  readonly versionId?: string;
  /** Orders the events of one key. Default: a random one. */
  readonly sequencer?: string;
  /** Epoch milliseconds. Default: now. */
  readonly sentAt?: number;
}

/**
 * An event notification as S3 delivers it to a function, and as a body to a queue.
 *
 * @param objects What is said of each object.
 * @throws `ConfigurationError` for a member that is unknown or impossible.
 */
export function s3Event(objects: readonly S3Object[]): S3Event {
  checkRecords('s3Event', objects, {
    content: 'key',
    checks: {
      key: required(aString()),
      bucket: aString(),
      eventName: aString(),
      size: anInteger(0),
      versionId: aString(),
      sequencer: aString(),
      sentAt: aFiniteNumber(),
    },
  });
  const records = objects.map((object) => {
    const { key, bucket = 'uploads', eventName = 'ObjectCreated:Put', size = 1_024, versionId } = object;
    const sequencer = object.sequencer ?? randomUUID().replaceAll('-', '').slice(0, 18).toUpperCase();
    return {
      eventVersion: '2.1',
      eventSource: 'aws:s3',
      awsRegion: 'us-east-1',
      eventTime: new Date(object.sentAt ?? Date.now()).toISOString(),
      eventName,
      userIdentity: { principalId: 'AWS:EXAMPLE' },
      requestParameters: { sourceIPAddress: '192.0.2.1' },
      responseElements: { 'x-amz-request-id': randomUUID(), 'x-amz-id-2': 'EXAMPLE' },
      s3: {
        s3SchemaVersion: '1.0',
        configurationId: 'example',
        bucket: { name: bucket, ownerIdentity: { principalId: 'EXAMPLE' }, arn: `arn:aws:s3:::${bucket}` },
        object: {
          key: encodeURIComponent(key).replaceAll('%20', '+').replaceAll('%2F', '/'),
          size,
          eTag: 'd41d8cd98f00b204e9800998ecf8427e',
          ...(versionId !== undefined && { versionId }),
          sequencer,
        },
      },
    };
  });
  return { Records: records };
}
